import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginAttempt, completeAttempt } from '../../engine/begin.ts';
import type { Outcome } from '../../engine/call.ts';
import { runPipeline } from '../../engine/run.ts';
import { GatelineError } from '../../errors.ts';
import { worksByItself } from '../../run/status.ts';
import { readPlainFile } from '../../store/files/attempts.ts';
import { toOutputEntry } from '../comment/decisions.ts';
import { formatToken, mirrorJob, openJob, parseGateJob, parseToken, type GateJob } from './gate-job.ts';
import { reportGate, reportLoss } from './gate-report.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import { openGate, type OpenGate } from './open-gate.ts';
import { createDocument, endsOf, isRemembered, publishEnd } from './publish-end.ts';
import type { Services } from '../services.ts';

/** What became of a unit: whether later gates may use it. */
type Result = Outcome['result'];

/** Runs the gate of a job: an output that holds is used, else its agent works. @returns whether the step is green */
export async function runGate(
  job: Job,
  inputs: Inputs<'gate'>,
  services: Services,
  signal: AbortSignal,
): Promise<boolean> {
  const gate = await openGate(job, inputs, services);
  await using _ = gate.folder;
  if (worksByItself(gate.unit.gate))
    throw new GatelineError('usage', `${gate.unit.key} has no command`, {
      hint: 'Give the step `run`, or let another step be the agent, between the actions begin and complete.',
    });
  const run = async (): Promise<Result> => {
    const { outcomes } = await runPipeline(gate.ports, gate.order, signal);
    const outcome = outcomes.get(gate.unit.key);
    if (!outcome) throw new GatelineError('failed', `${gate.unit.key} was cancelled before it began`);
    return outcome.result;
  };
  const result = await run();
  return await endGate(gate, (await applyDecision(gate, result)) ? await run() : result);
}

/** Begins the gate of a job whose agent is another step. */
export async function beginGate(job: Job, inputs: Inputs<'begin'>, services: Services): Promise<boolean> {
  const { runner } = services;
  const gate = await openGate(job, { ...inputs, run: undefined }, services);
  await using _ = gate.folder;
  let begun = await beginAttempt(gate.ports, gate.order, gate.unit.key);
  if (begun.choice === 'use' && (await applyDecision(gate, begun.result)))
    begun = await beginAttempt(gate.ports, gate.order, gate.unit.key);
  runner.setOutput('choice', begun.choice);
  if (begun.choice === 'use') return await endGate(gate, begun.result);
  const gateJob: GateJob = { ...gate.gateJob, entries: await gate.log.read() };
  await writeFile(join(gateJob.state, 'job.json'), JSON.stringify(gateJob));
  for (const [name, value] of Object.entries(begun.env)) runner.exportVariable(name, value);
  const token = formatToken(gateJob, begun.token);
  runner.setOutput('token', token);
  // `complete` has no post step of its own.
  runner.saveState('token', token);
  runner.saveState('state', gateJob.state);
  runner.setOutput('output-file', begun.env['GATELINE_OUTPUT']!);
  runner.setOutput('request-file', begun.env['GATELINE_REQUEST']!);
  runner.info(`${begun.unit}: the next step is its agent: ${begun.reason}`);
  return true;
}

/** Ends the attempt that `begin` began, with what the agent wrote. */
export async function completeGate(inputs: Inputs<'complete'>, services: Services): Promise<boolean> {
  const { state, digest, token } = parseToken(inputs.token);
  const bytes = await readFile(join(state, 'job.json')).catch((error: unknown) => {
    throw new GatelineError('usage', 'the step `begin` left nothing in this job', {
      hint: '`complete` is a step of the same job, after `begin`.',
      cause: error,
    });
  });
  const gateJob = parseGateJob(bytes, digest);
  const unset = gateJob.secrets.filter((name) => !services.environment[name]).join(', ');
  if (unset !== '')
    throw new GatelineError('usage', `\`complete\` cannot redact ${unset}: this step does not have it`, {
      hint: 'Set it in `env` of the job, or of both steps.',
    });
  const open = await openJob(gateJob, services.environment, services.observe);
  await using _ = open.folder;
  const gate: OpenGate = { ...open, services };
  await writeAnswer(gate, inputs);
  const { verdict } = await completeAttempt(gate.ports, gate.order, token, inputs.outcome === 'success' ? 0 : 1);
  const { approval, contract } = gate.unit.gate;
  const isGood = verdict.status === 'passed' || (verdict.status === 'partial' && contract.partial === 'continue');
  const waits = verdict.status === 'partial' && contract.partial === 'pause';
  if (isGood) return await endGate(gate, approval === undefined ? 'done' : 'waiting');
  return await endGate(gate, waits ? 'waiting' : 'failed');
}

/** An action has its answer as an output: it becomes the file that an agent writes. */
async function writeAnswer({ log, ports, unit }: OpenGate, { output, metrics }: Inputs<'complete'>): Promise<void> {
  const started = (await log.read()).findLast((entry) => entry.kind === 'started');
  if (started?.kind !== 'started') return;
  const { subject, run, n } = started;
  const directory = ports.attempts.pathOf({ subject, run, unit: unit.key, n });
  if (output !== undefined) await ports.attempts.write(directory, 'output.json', output);
  if (metrics === undefined) return;
  // Claude Code's action has the path of its execution file as an output.
  const file = /^\s*[[{]/.test(metrics) ? undefined : await readPlainFile(metrics.trim(), MAX_METRICS);
  await ports.attempts.write(directory, 'metrics.json', file?.state === 'present' ? file.bytes : metrics);
}

const MAX_METRICS = 64 * 1024 ** 2;

/** Takes in what a person decided about the output of an earlier job. @returns whether anybody did */
async function applyDecision({ earlier, decision, gateJob, log, unit }: OpenGate, result: Result): Promise<boolean> {
  if (result === 'done' || !earlier || !decision) return false;
  const end = endsOf(await log.read(), unit.key).at(-1);
  // Else an agent has worked since: nobody has decided about its output.
  const entry = end?.how === 'used' && toOutputEntry(gateJob, new Date().toISOString(), decision, earlier.document);
  if (!entry) return false;
  await log.append(entry);
  return true;
}

/** Publishes what the unit ended with, and shows it. @returns whether the step is green */
async function endGate(gate: OpenGate, result: Result): Promise<boolean> {
  const { services } = gate;
  const document = await createDocument(gate);
  const end = { document, isRemembered: isRemembered(gate, document) };
  // The post step uploads it if this one is ended before it could.
  await writeFile(join(gate.gateJob.state, 'job.json'), JSON.stringify(gate.gateJob));
  await writeFile(join(gate.gateJob.state, 'end.json'), JSON.stringify(end));
  services.runner.saveState('state', gate.gateJob.state);
  const reference = await publishEnd(gate, end, services.artifacts).catch((error: unknown) => {
    reportLoss(gate, document);
    throw error;
  });
  services.runner.saveState('published', 'true');
  // The post step of `begin` sees no state of `complete`.
  await rename(join(gate.gateJob.state, 'end.json'), join(gate.gateJob.state, 'published.json'));
  await mirrorJob(gate);
  await reportGate(gate, { document, reference, result });
  return result === 'done';
}
