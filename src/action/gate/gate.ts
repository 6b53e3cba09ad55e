import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginAttempt } from '../../engine/attempt/begin.ts';
import type { Outcome } from '../../engine/call.ts';
import { runPipeline } from '../../engine/run.ts';
import { GatelineError } from '../../errors.ts';
import { worksByItself } from '../../run/units.ts';
import { toOutputEntry } from './dispatch.ts';
import { formatToken, type GateJob } from './gate-job.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import { openGate, type OpenGate } from './open-gate.ts';
import { endGate, endsOf } from './publish-end.ts';
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
    const running = runPipeline(gate.ports, gate.order, signal);
    // What the gate ends with takes a while to load: meanwhile its agent works.
    services.loadClients();
    const { outcomes } = await running;
    const outcome = outcomes.get(gate.unit.key);
    if (!outcome) throw new GatelineError('failed', `${gate.unit.key} was cancelled before it began`);
    if (outcome.error) throw outcome.error;
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
  const gateJob: GateJob = {
    ...gate.gateJob,
    entries: await gate.log.read(),
    entities: await gate.entities.read(),
  };
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

/** Takes in what a person decided about the output of an earlier job. @returns whether anybody did */
async function applyDecision({ checkpoints, gateJob, log, unit }: OpenGate, result: Result): Promise<boolean> {
  const { document, decision } = checkpoints.earlier ?? {};
  if (result === 'done' || !document || !decision) return false;
  const end = endsOf(await log.read(), unit.key).at(-1);
  // Else an agent has worked since: nobody has decided about its output.
  const entry = end?.how === 'used' && toOutputEntry(gateJob, new Date().toISOString(), decision, document);
  if (!entry) return false;
  await log.append(entry);
  return true;
}
