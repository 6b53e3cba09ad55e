import { type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { problemText } from '../../pipeline/problem-text.ts';
import { MAX_ISSUES, type Issue } from '../../verdict/verdict.ts';
import { gateStateSchema, type GateStateFile } from './gate-state-schema.ts';

/** What an agent's own envelope must agree with. */
export interface ExpectedEnvelope {
  /** Number of the gate. */
  readonly number: number;
  /** The pipeline's metadata. What it does not say, the agent may fill in. */
  readonly metadata: JsonObject;
}

/** An envelope as its agent left it. */
export type LeftEnvelope =
  | { readonly refused: readonly Issue[]; readonly kind: 'schema' }
  | {
      readonly refused?: undefined;
      readonly output: JsonValue;
      readonly hasFailed: boolean;
      /** The agent's issues, then its status and score. */
      readonly issues: readonly Issue[];
    };

const COMPARED = ['domain', 'feature', 'url'] as const;

/**
 * Reads an envelope that an agent wrote for its own gate. Pointers of issues are into the envelope. No value of its
 * output is in the text of a refusal.
 */
export function leftEnvelope(value: JsonValue, { number, metadata }: ExpectedEnvelope): LeftEnvelope {
  const parsed = gateStateSchema.omit({ gateline: true }).safeParse(value, { reportInput: true });
  if (!parsed.success) {
    const isInOutput = ([key]: readonly PropertyKey[]): boolean => key === 'output';
    return {
      kind: 'schema',
      refused: parsed.error.issues
        .slice(0, MAX_ISSUES)
        .map((issue) => error(issue.path, isInOutput(issue.path) ? issue.message : problemText(issue))),
    };
  }
  const { status, output } = parsed.data;
  const wrong = disagreements(parsed.data, { number, metadata });
  if (wrong.length > 0) return { kind: 'schema', refused: wrong };
  return { output, hasFailed: status === 'FAILED', issues: remarksOf(parsed.data) };
}

/** What an agent's own envelope says of its output: its issues, then its status and score. */
export function remarksOf({ status, validation }: Pick<GateStateFile, 'status' | 'validation'>): Issue[] {
  const hasFailed = status === 'FAILED';
  const severity = hasFailed ? 'error' : 'notice';
  const told = validation.issues.slice(0, MAX_ISSUES - 1).map((text): Issue => ({ severity, message: cut(text) }));
  const said = `the agent's own state file says ${status} with a score of ${validation.score}`;
  return [...told, { severity: 'notice', message: hasFailed ? said : `${said}; this decides nothing` }];
}

/** What an envelope says of another gate, or of other metadata. Pointers are into the envelope. */
export function disagreements(
  { gate, metadata: own }: Pick<GateStateFile, 'gate' | 'metadata'>,
  { number, metadata }: ExpectedEnvelope,
): readonly Issue[] {
  const wrong = COMPARED.filter((key) => isText(metadata[key]) && metadata[key] !== own[key]).map((key) =>
    error(['metadata', key], `expected ${JSON.stringify(metadata[key])}, found ${JSON.stringify(own[key])}`),
  );
  if (gate === number) return wrong;
  return [error(['gate'], `expected ${number}, the number of this gate, found ${gate}`), ...wrong];
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function error(path: readonly PropertyKey[], message: string): Issue {
  const at = pointerOf(path);
  return { severity: 'error', message: cut(`${at}: ${message}`), pointer: at.slice(0, 4_096) };
}

function cut(text: string): string {
  return text.slice(0, 4_000);
}
