import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { DISPATCH_INPUTS } from '../pipeline/file/triggers.ts';

/** Events with the rights of the repository that anybody can trigger. */
const PRIVILEGED = ['pull_request_target', 'workflow_run'];

/** What starts a compiled workflow. */
export interface Triggers {
  readonly on: JsonObject;
  /** A person or a report can start it, with the inputs that Gateline reads. */
  readonly isDispatched: boolean;
  /** Why the linter need not warn of them. */
  readonly excuse: string | undefined;
}

/** The triggers of a file, or the default ones. */
export function triggersOf(given: JsonValue | undefined): Triggers {
  const map = given === undefined ? DEFAULT : asMap(given);
  const isDispatched = Object.hasOwn(map, 'workflow_dispatch');
  const on = isDispatched ? { ...map, workflow_dispatch: dispatchOf(map['workflow_dispatch']) } : map;
  const isPrivileged = PRIVILEGED.some((event) => Object.hasOwn(on, event));
  const excuse = isPrivileged
    ? 'zizmor: ignore[dangerous-triggers] jobs check out the default branch, not what the event is about'
    : undefined;
  return { on, isDispatched, excuse };
}

const DEFAULT: JsonObject = { push: { branches: ['main'] }, pull_request: null, workflow_dispatch: null };

function asMap(given: JsonValue): JsonObject {
  if (isJsonObject(given)) return given;
  const events = (Array.isArray(given) ? given : [given]) as string[];
  return Object.fromEntries(events.map((event) => [event, null]));
}

/** Inputs of the file stay; none has one of our names. */
function dispatchOf(given: JsonValue | undefined): JsonObject {
  const more = isJsonObject(given) ? given : {};
  const own = isJsonObject(more['inputs']) ? more['inputs'] : {};
  const ours = Object.entries(DISPATCH_INPUTS).map(([name, description]) => [name, { description, type: 'string' }]);
  return { ...more, inputs: { ...own, ...(Object.fromEntries(ours) as JsonObject) } };
}
