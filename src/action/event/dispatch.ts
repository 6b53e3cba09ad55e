import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { digestSchema } from '../../json/digest.ts';
import { STRATEGIES } from '../../run/plan/strategy.ts';
import { shown } from '../../pipeline/problem.ts';

/** Decisions about a gate that a person can make by starting a run. */
export const DISPATCHED_DECISIONS = ['approve', 'reject', 'skip', 'force', 'adopt'] as const;

/** Who started a run, as the event says. */
export interface Sender {
  readonly login: string;
  /** A program, such as `github-actions[bot]`. */
  readonly isBot: boolean;
}

/**
 * The inputs of the `workflow_dispatch` that started a run. They are read from the event, never from `with:`, where a
 * workflow could put the text of an agent.
 */
export interface Dispatch extends Readonly<z.infer<typeof inputsSchema>> {
  readonly sender: Sender | undefined;
}

const word = (maximum: number) => z.string().min(1).max(maximum).optional();

/** The inputs by their names. A blank one is absent. */
const inputsSchema = z.object({
  /** Id of the run to continue from, and that a decision is about. */
  resume: z
    .string()
    .regex(/^[1-9][0-9]{0,19}$/, 'expected the id of a workflow run')
    .optional(),
  strategy: z.enum(STRATEGIES).optional(),
  /** Gate, for the strategy `from-checkpoint`, which it implies. */
  from: word(200),
  decision: z.enum(DISPATCHED_DECISIONS).optional(),
  /** The gate or leg that the decision is about. */
  gate: word(200),
  reason: word(4_096),
  /** Digest of the output that the decision is about. Default: the output that the resumed run recorded. */
  digest: digestSchema.optional(),
  /** One JSON value, not parsed here: what a failed gate sent back. */
  rework: word(65_535),
  /** Id of the comment that asked for the run. */
  comment: word(20),
  /** The subject of the run that is resumed. */
  subject: word(1_024),
});

const senderSchema = z.object({ login: z.string().min(1).max(255), type: z.string().max(40) });

const payloadSchema = z.object({
  inputs: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  sender: senderSchema.nullish().catch(undefined),
});

/**
 * What a run was started to do; `undefined` if it was not started by `workflow_dispatch`, or with none of these inputs:
 * a workflow may use their names for its own. They are ours if `resume` is the id of a run, or if the workflow has an
 * input `resume` and one of those that need it is given.
 * @throws GatelineError `DISPATCH_INVALID`
 */
export function readDispatch(eventName: string, payload: unknown): Dispatch | undefined {
  const parsed = eventName === 'workflow_dispatch' ? payloadSchema.safeParse(payload).data : undefined;
  const all = Object.entries(parsed?.inputs ?? {});
  const texts = all.flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
  );
  const inputs = Object.fromEntries(texts);
  const notText = all.filter(([, value]) => typeof value !== 'string' && value !== null).map(([name]) => name);
  if (!isOurs(inputs, new Set(all.map(([name]) => name)), new Set(notText))) return undefined;
  const wrong = notText.filter((name) => Object.hasOwn(inputsSchema.shape, name));
  if (wrong.length > 0) throw invalid(`${wrong.join(', ')}: expected text`);
  refuseOtherDecision(inputs['decision']);
  const read = inputsSchema.safeParse(inputs);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw invalid(shown(problems.join('; '), 1_000));
  }
  refuseIncomplete(read.data);
  const { login, type } = parsed?.sender ?? {};
  return { ...read.data, sender: login === undefined ? undefined : { login, isBot: type !== 'User' } };
}

/**
 * @param inputs those that are text and not blank
 * @param names all that the workflow has
 * @param notText those with another value than text
 */
function isOurs(
  inputs: Readonly<Record<string, string>>,
  names: ReadonlySet<string>,
  notText: ReadonlySet<string>,
): boolean {
  if (inputsSchema.shape.resume.unwrap().safeParse(inputs['resume']).success) return true;
  if (!names.has('resume')) return false;
  const { strategy = 'retry-current' } = inputs;
  const needsRun = ['decision', 'from', 'rework'].some((name) => inputs[name] !== undefined || notText.has(name));
  return needsRun || (strategy !== 'retry-current' && (STRATEGIES as readonly string[]).includes(strategy));
}

/** The effect of a command line decision on GitHub, where each run is started by one event. */
const INSTEAD: Readonly<Record<string, string>> = {
  pause: 'To stop a run on GitHub, cancel it; `resume` continues it.',
  resume: 'Start the workflow with `resume` alone: it continues that run.',
  close: 'A run on GitHub that nobody continues needs no decision; cancel it if it still runs.',
  rollback: 'Use `from` with `resume`: the gate and all gates after it run again.',
  rework: 'Use `from` with `resume`: the gate and all gates after it run again.',
};

function refuseOtherDecision(decision: string | undefined): void {
  if (decision === undefined || (DISPATCHED_DECISIONS as readonly string[]).includes(decision)) return;
  const known = `decision: "${shown(decision, 50)}" is not one of ${DISPATCHED_DECISIONS.join(', ')}`;
  const hint = Object.hasOwn(INSTEAD, decision) ? INSTEAD[decision] : undefined;
  throw invalid(known, hint);
}

function refuseIncomplete(inputs: z.infer<typeof inputsSchema>): void {
  const { resume, decision, gate, digest, strategy, from, reason } = inputs;
  if (resume === undefined) throw invalid('name the run to continue as `resume`');
  const idle = gate !== undefined ? 'gate' : digest !== undefined ? 'digest' : undefined;
  if (decision === undefined && idle !== undefined) throw invalid(`${idle}: name the decision as \`decision\``);
  if (decision !== undefined && gate === undefined) throw invalid(`decision ${decision}: name the gate as \`gate\``);
  if (strategy === 'from-checkpoint' && from === undefined)
    throw invalid('strategy from-checkpoint: name the gate as `from`');
  if (from !== undefined && strategy !== undefined && strategy !== 'from-checkpoint')
    throw invalid(`from: not with the strategy ${strategy}`);
  if (decision === 'adopt' && digest === undefined) throw invalid('decision adopt: name the output as `digest`');
  if ((decision !== undefined || strategy === 'skip-current') && reason === undefined)
    throw invalid(`${decision ?? strategy}: a reason is needed (\`reason\`)`);
}

function invalid(message: string, hint?: string): GatelineError {
  return new GatelineError(
    'DISPATCH_INVALID',
    `the inputs of this run: ${message}`,
    hint === undefined ? {} : { hint },
  );
}
