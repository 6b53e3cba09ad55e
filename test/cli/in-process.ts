import { expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import type { CliWorld, Screen } from '../../src/cli/world.ts';
import { plainEnvironment } from '../support/command-line.ts';
import type { ScratchWorkspace } from '../support/scratch-workspace.ts';

/** What a command printed and answered. */
export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a test may change of the world. */
export type WorldOptions = Partial<Omit<CliWorld, 'out' | 'err'>> & {
  readonly screen?: Partial<Omit<Screen, 'write'>>;
  readonly stdin?: string;
  /** Called with everything that is written, as it is written. */
  readonly onWrite?: (text: string) => void;
};

/** The command line in this process, with screens that remember. */
export async function gateline(folder: string, args: readonly string[], options: WorldOptions = {}): Promise<Answer> {
  const texts = { out: '', err: '' };
  const { screen = {}, stdin = '', onWrite, ...more } = options;
  const remember = (name: keyof typeof texts): Screen => {
    const write = (text: string): void => {
      texts[name] += text;
      onWrite?.(text);
    };
    // Copied as they are described: a test may give a getter, for a terminal that changes.
    const given = Object.getOwnPropertyDescriptors(screen);
    return Object.defineProperties({ interactive: false, columns: 0, rows: 0, write }, given);
  };
  const code = await main({
    arguments: args,
    environment: plainEnvironment(),
    workingDirectory: folder,
    out: remember('out'),
    err: remember('err'),
    readStandardInput: async () => Buffer.from(stdin),
    now: () => new Date(),
    onInterrupt: () => ({ [Symbol.dispose]: () => undefined }),
    ...more,
  });
  return { code, ...texts };
}

/** The command line in a workspace, with the variables that its agents need. */
export function gatelineIn(workspace: ScratchWorkspace, ...args: string[]): Promise<Answer> {
  return gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()) });
}

/** What a command printed that must end with 0. */
export async function expectOk(answer: Promise<Answer>): Promise<Answer> {
  const { code, out, err } = await answer;
  expect(code, out + err).toBe(0);
  return { code, out, err };
}

/** A definition of gates that need nothing but a shell; keys in the order of the file. */
export function gatelineYml(gates: Readonly<Record<string, object>>, more: object = {}): string {
  return JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, ...more, gates }, null, 2);
}

/** A command that writes this output. */
export function writes(value: unknown): string {
  return `printf '%s' '${JSON.stringify(value)}' > "$GATELINE_OUTPUT"`;
}
