import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeAttempt } from '../../engine/attempt/begin.ts';
import { GatelineError } from '../../errors.ts';
import { readPlainFile } from '../../store/files/attempts.ts';
import { verdictText } from '../../verdict/verdict.ts';
import { openJob, parseGateJob, parseToken } from '../gate/gate-job.ts';
import type { OpenGate } from '../gate/open-gate.ts';
import { endGate } from '../gate/publish-end.ts';
import { withSecretValues, type Inputs } from '../inputs.ts';
import type { Services } from '../services.ts';

/** Ends the attempt that `begin` began, with the output of the agent. */
export async function completeGate(inputs: Inputs<'complete'>, services: Services): Promise<boolean> {
  const { state, digest, token } = parseToken(inputs.token);
  const bytes = await readFile(join(state, 'job.json')).catch((error: unknown) => {
    throw new GatelineError('usage', 'the step `begin` left nothing in this job', {
      hint: '`complete` is a step of the same job, after `begin`.',
      cause: error,
    });
  });
  const gateJob = parseGateJob(bytes, digest);
  const environment = withSecretValues(services.environment, inputs['secret-values'], gateJob.secrets);
  const unset = gateJob.secrets.filter((name) => !environment[name]).join(', ');
  if (unset !== '')
    throw new GatelineError('usage', `\`complete\` cannot redact ${unset}: this step does not have it`, {
      hint: 'Set it in `env` of the job, or of both steps; give both the same `secret-values`.',
    });
  const open = await openJob(gateJob, environment, services.observe);
  await using _ = open.folder;
  const gate: OpenGate = { ...open, services };
  await writeOutputFiles(gate, inputs);
  const ending = completeAttempt(gate.ports, gate.order, token, inputs.outcome === 'success' ? 0 : 1);
  // Loads the clients while git lists the folder.
  services.loadClients();
  const { verdict } = await ending;
  const why = verdict.status === 'passed' ? `score ${verdict.score}` : verdictText(verdict);
  services.runner.info(`${gate.unit.key}: ${verdict.status}: ${why}`);
  const { approval, contract } = gate.unit.gate;
  const isGood = verdict.status === 'passed' || (verdict.status === 'partial' && contract.partial === 'continue');
  const waits = verdict.status === 'partial' && contract.partial === 'pause';
  if (isGood) return await endGate(gate, approval === undefined ? 'done' : 'waiting');
  return await endGate(gate, waits ? 'waiting' : 'failed');
}

/** Writes the inputs `output` and `metrics`, outputs of the agent's step, into the files of the agent protocol. */
async function writeOutputFiles(
  { log, ports, unit }: OpenGate,
  { output, metrics }: Inputs<'complete'>,
): Promise<void> {
  const started = (await log.read()).findLast((entry) => entry.kind === 'started');
  if (started?.kind !== 'started') return;
  const { subject, run, n } = started;
  const directory = ports.attempts.pathOf({ subject, run, unit: unit.key, n });
  if (output !== undefined) await ports.attempts.write(directory, 'output.json', output);
  if (metrics === undefined) return;
  // `metrics` may be a path: Claude Code's action outputs that of its execution file.
  const file = /^\s*[[{]/.test(metrics) ? undefined : await readPlainFile(metrics.trim(), MAX_METRICS);
  await ports.attempts.write(directory, 'metrics.json', file?.state === 'present' ? file.bytes : metrics);
}

const MAX_METRICS = 64 * 1024 ** 2;
