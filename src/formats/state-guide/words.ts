import { digestOf, hexOf } from '../../json/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { RunStatus, RunView, UnitStatus, UnitView } from '../../report/view.ts';

/** The guide's statuses of a gate and of a pipeline. */
export const GATE_WORDS = ['SUCCESS', 'PARTIAL', 'FAILED'] as const;
export type GateWord = (typeof GATE_WORDS)[number];
export const PIPELINE_WORDS = ['IN_PROGRESS', ...GATE_WORDS] as const;
export type PipelineWord = (typeof PIPELINE_WORDS)[number];

/** Undefined: no result yet. A skipped gate is PARTIAL: later gates may run, but no output was checked. */
const GATE_WORD: Readonly<Record<UnitStatus, GateWord | undefined>> = {
  pending: undefined,
  running: undefined,
  blocked: undefined,
  passed: 'SUCCESS',
  'not-applicable': 'SUCCESS',
  partial: 'PARTIAL',
  paused: 'PARTIAL',
  skipped: 'PARTIAL',
  failed: 'FAILED',
  lost: 'FAILED',
};

const PIPELINE_WORD: Readonly<Record<RunStatus, PipelineWord>> = {
  initializing: 'IN_PROGRESS',
  executing: 'IN_PROGRESS',
  paused: 'IN_PROGRESS',
  error: 'FAILED',
  rollback: 'FAILED',
  closed: 'FAILED',
  completed: 'SUCCESS',
};

/** The status of a gate. An approved output below its threshold stays PARTIAL. */
export function gateWord({ status, verdict }: Pick<UnitView, 'status' | 'verdict'>): GateWord | undefined {
  return GATE_WORD[status === 'passed' && verdict?.status === 'partial' ? 'partial' : status];
}

/** The status of a pipeline. PARTIAL: completed, with a gate that was skipped or is below its threshold. */
export function pipelineWord({ status, units }: Pick<RunView, 'status' | 'units'>): PipelineWord {
  const isPartial = units.some((unit) => gateWord(unit) !== 'SUCCESS');
  return status === 'completed' && isPartial ? 'PARTIAL' : PIPELINE_WORD[status];
}

/** `metadata` of the pipeline's file; a gate's file has the first three. Texts may be empty. */
export interface GuideMetadata {
  domain: string;
  feature: string;
  url: string;
  userStory: string;
  acceptanceCriteria: string[];
}

/**
 * The guide's metadata, from that of a pipeline. The domain defaults to the host of `url`, the feature to the subject
 * (`demoqa_com-login` → `login`).
 */
export function guideMetadata(metadata: JsonObject, subject: string): GuideMetadata {
  const url = textOf(metadata['url']);
  const domain = sanitizeName(textOf(metadata['domain']) || (URL.canParse(url) ? new URL(url).hostname : ''));
  const name = sanitizeName(subject, MAX_STEM_BYTES);
  const rest = domain !== '' && name.startsWith(`${domain}-`) ? name.slice(domain.length + 1) : name;
  const { acceptanceCriteria: criteria } = metadata;
  return {
    domain,
    feature: sanitizeName(textOf(metadata['feature']) || rest),
    url,
    userStory: textOf(metadata['userStory']),
    acceptanceCriteria: Array.isArray(criteria)
      ? criteria.map(textOf)
      : [textOf(criteria)].filter((text) => text !== ''),
  };
}

/** Bytes of a domain or feature, and of a stem of both, so that a file name has at most 255. */
const MAX_NAME_BYTES = 70;
export const MAX_STEM_BYTES = 2 * MAX_NAME_BYTES + 1;
const PLAIN_NAME = /^[\p{L}\p{M}\p{N}_-]*$/u;

/**
 * Makes a text a part of the guide's file names: `demoqa.com` → `demoqa_com`, `Student Registration` →
 * `student_registration`. Plain names are unchanged; long ones are cut, with digits of their digest.
 */
export function sanitizeName(text: string, maxBytes: number = MAX_NAME_BYTES): string {
  const wellFormed = text.toWellFormed().normalize('NFC');
  const name = PLAIN_NAME.test(wellFormed)
    ? wellFormed
    : wellFormed
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '_')
        .replace(/^_+|_+$/g, '');
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const suffix = `-${hexOf(digestOf(wellFormed)).slice(0, 6)}`;
  const bytes = Buffer.from(name).subarray(0, maxBytes - suffix.length);
  return new TextDecoder().decode(bytes).replace(/\ufffd+$/, '') + suffix;
}

/**
 * The stems of a run's file names: `{domain}-{feature}`, and the guide's `requestId`, which is the subject, if it differs.
 */
export function fileStems(metadata: JsonObject, subject: string): [string, ...string[]] {
  const { domain, feature } = guideMetadata(metadata, subject);
  const requestId = sanitizeName(subject, MAX_STEM_BYTES) || 'run';
  if (domain === '' || feature === '') return [requestId];
  const stem = `${domain}-${feature}`;
  return stem === requestId ? [stem] : [stem, requestId];
}

/** `{stem}-gate{N}-output.json`, or `{stem}-gate{N}-{leg}-output.json`. */
export function gateFile(stem: string, number: number, leg: string, ending: 'output.json' | 'checkpoint.md'): string {
  return `${stem}-gate${number}${leg === '' ? '' : `-${leg}`}-${ending}`;
}

/** Matches the file name of a gate's output or of the pipeline. */
export const STATE_FILE = /^(?<stem>[^/]+)-(?:pipeline|gate(?<number>\d{1,4})(?:-(?<leg>[^/]+))?-output)\.json$/;

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
