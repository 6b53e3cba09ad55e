import { AsyncLocalStorage } from 'node:async_hooks';
import { readInputs, type ReadInputs } from '../../../src/action/inputs/inputs.ts';
import { createRunner, type Runner } from '../../../src/action/runner.ts';
import { readSource } from '../../../src/pipeline/yaml/read-source.ts';
import { inputsSchemaWith } from '../../../src/action/inputs/inputs-schema.ts';

/** What work in this process has in the place of what a process of its own would have. */
interface Lent {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what is written to standard output. */
  readonly write: (text: string) => void;
}

const lent = new AsyncLocalStorage<Lent>();
let isReady = false;

/** GitHub's clients read `process.env` and write to `process.stdout`: within the work, and what it starts, these are `instead`. */
export function lendProcess<T>(instead: Lent, work: () => T): T {
  if (!isReady) prepare();
  isReady = true;
  return lent.run(instead, work);
}

function prepare(): void {
  const { env, stdout } = process;
  const write = stdout.write.bind(stdout);
  Object.defineProperty(process, 'env', { configurable: true, get: () => lent.getStore()?.env ?? env });
  stdout.write = ((...args: Parameters<typeof write>) => {
    const step = lent.getStore();
    if (step === undefined) return write(...args);
    step.write(String(args[0]));
    return true;
  }) as typeof write;
}

/** The runner of a step in this process, whoever calls it: the toolkit below it sees this environment, and this is its log. */
export function runnerIn(env: Lent['env'], write: Lent['write'] = () => undefined): Runner {
  const here = <T>(work: () => T): T => lendProcess({ env, write }, work);
  const runner = createRunner(env);
  return {
    getInput: (name) => here(() => runner.getInput(name)),
    info: (text) => here(() => runner.info(text)),
    group: (title) => {
      const open = here(() => runner.group(title));
      return { [Symbol.dispose]: () => here(() => open[Symbol.dispose]()) };
    },
    annotate: (...args) => here(() => runner.annotate(...args)),
    setOutput: (name, value) => here(() => runner.setOutput(name, value)),
    saveState: (name, value) => here(() => runner.saveState(name, value)),
    getState: (name) => here(() => runner.getState(name)),
    summaryRoom: () => here(() => runner.summaryRoom()),
    appendSummary: (markdown) => here(() => runner.appendSummary(markdown)),
    mask: (value) => here(() => runner.mask(value)),
    quote: (work) => here(() => runner.quote((print) => work((line) => here(() => print(line))))),
  };
}

const EVERY_INPUT = inputsSchemaWith(readSource);

/** The inputs of a step in this process. */
export function inputsIn(env: Lent['env']): ReadInputs {
  return readInputs(env, runnerIn(env), EVERY_INPUT);
}
