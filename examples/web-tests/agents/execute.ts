/** Gate 4: runs the generated spec three times against the page, in Chromium or in an embedded DOM. */
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import {
  rounded,
  validation,
  type CodeOutput,
  type DataFile,
  type ExecuteOutput,
  type Failure,
} from './protocol/outputs.ts';
import {
  AgentError,
  needed,
  readHandedOn,
  readWorkspace,
  serve,
  setting,
  type Answer,
  type Request,
} from './protocol/protocol.ts';
import { chromiumEngine, findChromium } from './runner/chromium.ts';
import { LocatorUses } from './runner/driven-screen.ts';
import type { Engine } from './runner/driver.ts';
import { runSpec, type Outcome } from './runner/run-spec.ts';
import type { Spec } from './runner/spec.ts';

const RUNS = 3;

await serve(execute);

async function execute(request: Request): Promise<Answer> {
  const spec = await loadSpec(await needed<CodeOutput>(request, 'code'));
  const data = JSON.parse(await readHandedOn(spec.dataFile, spec.dataDigest, 'data')) as DataFile;
  const engine = await startEngine(request);
  process.stdout.write(`${spec.tests.length} tests, ${RUNS} times, in ${engine.name}\n`);
  const uses = new LocatorUses();
  const runs: Outcome[][] = [];
  const started = performance.now();
  try {
    for (let run = 0; run < RUNS; run++) runs.push(await runSpec(spec, data, engine, uses));
  } finally {
    await engine.close();
  }
  const output = summarise(runs, Math.round((performance.now() - started) / RUNS), engine.name, uses);
  for (const { testId, step, action, message } of output.failures)
    process.stdout.write(`${testId} failed in step ${step}, ${action}: ${message}\n`);
  return { output, tools: [engine.name === 'chromium' ? 'playwright-core' : 'jsdom'] };
}

/** The spec that gate `code` wrote, and no other. */
async function loadSpec({ files, fileDigests }: CodeOutput): Promise<Spec<unknown>> {
  for (const path of files) await readHandedOn(path, fileDigests[path] ?? '', 'code');
  const path = files.find((file) => file.endsWith('.spec.ts'));
  if (path === undefined) throw new AgentError('gate "code" wrote no spec');
  return ((await import(pathToFileURL(resolve(path)).href)) as { default: Spec<unknown> }).default;
}

async function startEngine(request: Request): Promise<Engine> {
  const wish = process.env['WEB_TESTS_BROWSER'] || setting(request, 'browser');
  const page = setting(request, 'page');
  const chromium = wish === 'embedded' ? undefined : findChromium(process.env);
  if (!['auto', 'chromium', 'embedded'].includes(wish))
    throw new AgentError(`the browser must be auto, chromium or embedded, not "${wish}"`);
  if (chromium !== undefined) return chromiumEngine(chromium, page);
  if (wish === 'chromium')
    throw new AgentError('Chromium is not installed; set CHROME_PATH, or WEB_TESTS_BROWSER=embedded');
  const { embeddedEngine } = await import('./runner/embedded.ts');
  return embeddedEngine(await readWorkspace(page, 'the page'));
}

function summarise(
  runs: readonly Outcome[][],
  avgExecutionTime: number,
  engine: Engine['name'],
  uses: LocatorUses,
): ExecuteOutput {
  const total = runs.reduce((sum, run) => sum + run.length, 0);
  const results = runs.map((run, at) => {
    const failedTests = run.filter((outcome) => outcome !== undefined).length;
    return {
      runNumber: at + 1,
      status: failedTests === 0 ? ('PASS' as const) : ('FAIL' as const),
      passedTests: run.length - failedTests,
      failedTests,
    };
  });
  const passed = results.reduce((sum, { passedTests }) => sum + passedTests, 0);
  const passRate = total === 0 ? 0 : rounded((100 * passed) / total);
  const failures = failuresOf(runs);
  const failedTests = new Set(failures.map(({ testId }) => testId)).size;
  return {
    results,
    finalStatus: { passRate, avgExecutionTime, failedTests },
    failures,
    locatorUse: uses.list(),
    engine,
    validationResult: validation(passRate, [...new Set(failures.map(({ message }) => message))]),
  };
}

/** One entry a test and way of failing, with the runs in which it failed so. */
function failuresOf(runs: readonly Outcome[][]): Failure[] {
  const failures = new Map<string, Omit<Failure, 'runs'> & { runs: number[] }>();
  for (const [at, run] of runs.entries()) {
    for (const outcome of run) {
      if (!outcome) continue;
      const key = JSON.stringify([outcome.testId, outcome.step, outcome.message]);
      const failure = failures.get(key) ?? { ...outcome, runs: [] };
      failures.set(key, failure);
      failure.runs.push(at + 1);
    }
  }
  return [...failures.values()];
}
