import { join } from 'node:path';
import type { AgentTask } from '../../agent/agent.ts';
import { ATTEMPT_FILES, agentEnvironment } from '../../agent/environment.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { AttemptRef, Content } from '../../run/entry.ts';
import { gateOf } from '../../run/units.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import type { Call } from '../call.ts';
import { placeDocuments } from './memory.ts';
import { versionsHandedOn, type Work } from '../plan/request.ts';
import { readValue } from '../values.ts';

/** Values of at most this many bytes are part of the request file; all have a file of their own. */
const MAX_INLINE = 1024 * 1024;

/** Creates the directory of an attempt with the files that its agent reads: request, feedback, values of its needs. */
export async function prepareDirectory(
  call: Call,
  work: Work,
  attempt: AttemptRef,
  feedback?: Verdict,
): Promise<string> {
  const { attempts } = call.ports;
  const directory = await attempts.create(attempt);
  await call.ports.stateFiles?.clear(work.unit);
  const { request, unit, needs, snapshot, rework, fingerprint } = work;
  const document: JsonObject = {
    ...(request as unknown as JsonObject),
    agent: unit.gate.agent,
    number: unit.gate.number,
    attempt: attempt.n,
    fingerprint,
    handedOn: call.order.redactor.json(Object.fromEntries(await versionsHandedOn(call, snapshot, needs))).value,
    needs: {},
    memory: await placeDocuments(call, unit.gate, directory),
  };
  const values: JsonObject = {};
  for (const [key, { exports }] of needs) {
    const value = await placeValue(call, directory, `need-${key.replace('/', '.')}.json`, exports);
    const gate = gateOf(key);
    if (key === gate) values[gate] = value;
    else
      values[gate] = {
        legs: {
          ...((values[gate] as JsonObject | undefined)?.['legs'] as JsonObject),
          [key.slice(gate.length + 1)]: value,
        },
      };
  }
  // A matrix over an empty list has no legs, and its need is still complete.
  for (const gate of unit.gate.needs)
    if (call.graph.unitsOf(gate)?.length === 0 && !needs.get(gate)?.exports) values[gate] = { legs: {} };
  document['needs'] = values;
  if (rework)
    document['rework'] = {
      iteration: rework.iteration,
      from: await Promise.all(
        rework.causes.map(async ({ unit: cause, output, verdict }) => ({
          gate: cause,
          verdict: verdict as unknown as JsonValue,
          ...(await placeValue(call, directory, `rework-${cause.replace('/', '.')}.json`, output)),
        })),
      ),
    };
  await attempts.write(directory, ATTEMPT_FILES.request, `${JSON.stringify(document, null, 2)}\n`);
  if (feedback) await attempts.write(directory, ATTEMPT_FILES.feedback, `${JSON.stringify(feedback, null, 2)}\n`);
  return directory;
}

async function placeValue(
  call: Call,
  directory: string,
  name: string,
  content: Content | undefined,
): Promise<JsonObject> {
  if (content === undefined) return { digest: null, bytes: 0 };
  const { digest, bytes } = content;
  const file = join(directory, name);
  const value = await readValue(call, digest);
  await call.ports.attempts.write(directory, name, JSON.stringify(value ?? null));
  return { digest, bytes, file, ...(bytes <= MAX_INLINE && { output: value ?? null }) };
}

/** The process to start for a unit. */
export function taskOf(
  call: Call,
  { unit, request }: Work,
  attempt: AttemptRef,
  directory: string,
  hasFeedback: boolean,
): AgentTask {
  const { ports, order } = call;
  const { gate, leg } = unit;
  return {
    directory,
    command: gate.run ?? gate.uses?.local ?? '',
    shell: gate.shell,
    workingDirectory: join(ports.workspace.root, gate.workingDirectory),
    env: agentEnvironment({
      caller: ports.environment,
      gate,
      otherSecrets: order.pipeline.gates
        .flatMap(({ secrets }) => secrets)
        .filter((name) => !gate.secrets.includes(name)),
      directory,
      leg: leg.id,
      attempt: attempt.n,
      task: request.task,
      hasFeedback,
      memory: gate.memory,
    }),
    timeoutMs: gate.timeoutMinutes * 60_000,
    redactor: order.redactor,
    onLine: (stream, line) =>
      call.observe({ type: 'output', unit: unit.key, stream, line: order.redactor.text(line, 'shown') }),
  };
}
