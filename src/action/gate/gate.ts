import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginAttempt } from '../../engine/attempt/begin.ts';
import type { Outcome } from '../../engine/call.ts';
import { runPipeline } from '../../engine/run.ts';
import { GatelineError } from '../../errors.ts';
import { worksByItself } from '../../run/units.ts';
import { toOutputDecisionEntry } from '../dispatch-decisions.ts';
import { formatToken, type GateJob } from './gate-job.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import { openGate, type OpenGate } from './open-gate.ts';
import { endGate, endsOf } from './publish-end.ts';
import type { Services } from '../services.ts';

type Result = Outcome['result'];

/** Runs the gate of a job: uses an output that holds, else runs its agent. @returns whether the step is green */
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
    // Loads the clients while the agent works.
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

/** Logs a person's decision about the used output of an earlier job. @returns whether there is one */
async function applyDecision({ checkpoints, gateJob, log, unit }: OpenGate, result: Result): Promise<boolean> {
  const { document, decision } = checkpoints.earlier ?? {};
  if (result === 'done' || !document || !decision) return false;
  const end = endsOf(await log.read(), unit.key).at(-1);
  // A decision is about the used output, not about one that an agent has made since.
  const entry = end?.how === 'used' && toOutputDecisionEntry(gateJob, new Date().toISOString(), decision, document);
  if (!entry) return false;
  await log.append(entry);
  return true;
}
