import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { didYouMean } from '../json/did-you-mean.ts';
import { explainIssue, toProblems, type Problem } from './problem.ts';
import { readYaml } from './read-yaml.ts';
import {
  choiceOf,
  jsonObject,
  jsonValue,
  listOf,
  mapOf,
  matching,
  oneOrList,
  addIssue,
  text,
  wholeNumber,
} from './values.ts';

/** The subjects of several runs of one pipeline (in dev-loop: a set of PRDs, or the tasks of a loop): a set file. */
export interface SubjectSet {
  /** In file order. */
  readonly subjects: readonly SetSubject[];
  /** How many work side by side. Default 2. */
  readonly maxParallel: number;
  /** Further tries of a task that failed, in a loop. Default 1. */
  readonly retries: number;
  /** `branch`: the files of a completed subject become a commit on its own branch. Undefined: they stay in its clone. */
  readonly deliver: 'branch' | undefined;
}

export interface SetSubject {
  readonly id: string;
  readonly task: string | undefined;
  readonly metadata: JsonObject;
  /** Undefined: the caller's. */
  readonly input: JsonValue | undefined;
  /** Ids of the subjects that must be completed first, in file order. */
  readonly needs: readonly string[];
}

/** Ids become parts of the names of branches and folders. */
const subjectId = matching(
  /^(?!.*(?:\.\.|\.lock$))[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  'an id such as `checkout` or `REQ-1.1`',
);

const subject = mapOf({
  id: subjectId.describe('What the run is about; its name everywhere.'),
  task: text(100_000, 'a text').optional().describe('The goal, for every agent. Default: that of gateline.yml.'),
  metadata: jsonObject.default({}).describe('Free values that agents see, beside those of gateline.yml.'),
  input: jsonValue.optional().describe("The caller's input."),
  needs: oneOrList(subjectId, 0, 1_000, 'an id or a list of ids').default([]).describe('Subjects that come first.'),
});

/** A set file as written, with defaults filled in. */
export const setSchema = mapOf({
  subjects: listOf(subject, 1, 1_000, 'a list of 1 to 1,000 subjects').describe('What the runs are about.'),
  'max-parallel': wholeNumber(1, 100).default(2).describe('How many work side by side.'),
  retries: wholeNumber(0, 10).default(1).describe('Further tries of a task that failed, in `gateline loop`.'),
  deliver: choiceOf('branch')
    .optional()
    .describe('`branch`: what a subject made becomes a commit on the branch `gateline/<id>`.'),
}).superRefine(({ subjects }, context) => {
  const ids = subjects.map(({ id }) => id);
  for (const [index, { id, needs }] of subjects.entries()) {
    if (ids.indexOf(id) < index) addIssue(context, `\`${id}\` is there twice`, undefined, ['subjects', index, 'id']);
    for (const need of needs) {
      const path = ['subjects', index, 'needs'];
      if (!ids.includes(need)) addIssue(context, `there is no subject \`${need}\``, didYouMean(need, ids), path);
      else if (ids.indexOf(need) >= index)
        addIssue(context, `\`${need}\` must stand before \`${id}\``, undefined, path);
    }
  }
});

export type ParsedSet =
  | { readonly ok: true; readonly set: SubjectSet }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads a set, in YAML or JSON, or every problem with its place. @param file the name for places */
export function parseSet(source: string, file: string): ParsedSet {
  const read = readYaml(source, file);
  if (!read.ok) return read;
  const { yaml } = read;
  const parsed = setSchema.safeParse(yaml.value);
  if (parsed.success) return { ok: true, set: toSet(parsed.data) };
  const findings = parsed.error.issues.flatMap((issue) => explainIssue(issue, yaml.value));
  return { ok: false, problems: toProblems(findings, yaml.placeOf) };
}

function toSet({ subjects, 'max-parallel': maxParallel, retries, deliver }: z.output<typeof setSchema>): SubjectSet {
  const ids = subjects.map(({ id }) => id);
  return {
    subjects: subjects.map(({ id, task, metadata, input, needs }) => ({
      id,
      task,
      metadata,
      input,
      needs: needs.toSorted((a, b) => ids.indexOf(a) - ids.indexOf(b)),
    })),
    maxParallel,
    retries,
    deliver,
  };
}
