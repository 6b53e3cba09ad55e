import { z } from 'zod';
import { BRANCH_PATTERN } from '../../pipeline/file/gateline-values.ts';
import { MIRROR_FORMATS } from '../../pipeline/job-settings.ts';
import { ID_PATTERN, MAX_TASK_LENGTH } from '../../pipeline/pipeline.ts';
import { MAX_SUBJECT_WAVES } from '../../pipeline/subjects/subject-waves.ts';
import { COMMAND_NAMES } from './command-names.ts';
import {
  age,
  block,
  bounded,
  contextJson,
  digestsByName,
  gateIds,
  json,
  line,
  lines,
  linesOr,
  map,
  matching,
  numberFrom,
  numberOrText,
  oneOf,
  pathOrSchema,
  someOf,
  variableLines,
  variableNames,
  wholeNumber,
  wordsOrMap,
  yesOrNo,
  type ReadYaml,
} from './input-values.ts';
import { needs } from './needs.ts';

/** Maximum size of the input `output`, in bytes of UTF-8. A variable over 128 KiB cannot be passed to a process. */
export const MAX_OUTPUT_INPUT_BYTES = 100 * 1024;

/** Runs that are younger are never removed: for so long, GitHub lets people run their jobs again. */
const FEWEST_DAYS = 30;

const path = line(4_096, 'a path');
const id = matching(
  ID_PATTERN,
  'an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`',
);

/**
 * The inputs of the action as the runner passes them, without blank ones. Inputs that describe a gate are only parsed
 * here; the parser of `gateline.yml` validates them, so that both mean the same.
 */
export function inputsSchemaWith(readYaml: ReadYaml) {
  return z.strictObject({
    command: oneOf(...COMMAND_NAMES),
    gate: id,
    pipeline: id,
    subject: line(1_024, 'a subject'),
    file: path,
    needs,

    run: block,
    shell: line(1_024, 'a shell'),
    'working-directory': path,
    schema: pathOrSchema(readYaml),
    score: line(1_024, 'a JSON pointer'),
    threshold: numberOrText,
    partial: line(200, '`block`, `continue` or `pause`'),
    checks: lines,
    exports: lines,
    result: map(readYaml),
    message: line(1_024, 'a JSON pointer'),
    redact: lines,
    inputs: lines,
    files: linesOr('changed'),
    env: variableLines,
    secrets: variableNames,
    tools: wordsOrMap(readYaml),
    with: map(readYaml),
    reuse: line(200, '`auto` or `never`'),
    'max-age': line(200, 'a time such as `12h` or `7d`'),
    retries: numberOrText,
    'timeout-minutes': numberOrText,

    task: bounded(MAX_TASK_LENGTH, 'longer instructions belong in `input` or `input-file`'),
    metadata: map(readYaml),
    input: json,
    'input-file': path,
    token: matching(/^[A-Za-z0-9_-]{1,8192}$/, 'the complete token from `command: begin`'),
    outcome: oneOf('success', 'failure', 'cancelled', 'skipped'),
    output: bounded(MAX_OUTPUT_INPUT_BYTES, 'write the value to a file and pass its path as `output-file`'),
    'output-file': path,
    metrics: bounded(MAX_OUTPUT_INPUT_BYTES, 'pass the path of a file with it'),
    'expose-output': yesOrNo,
    gates: gateIds,
    deliver: oneOf('files', 'patch', 'commit', 'pull-request', 'branch'),
    allow: lines,
    learnings: yesOrNo,
    set: path,
    'subject-files': digestsByName,
    'only-set': line(100, 'the name of a set'),
    wave: wholeNumber(0, MAX_SUBJECT_WAVES - 1),
    older: age(FEWEST_DAYS),
    'dry-run': yesOrNo,
    workflow: matching(/^[\w.-]{1,200}\.ya?ml$/, 'the name of a workflow file, such as `gates.yml`'),
    resume: matching(/^[1-9][0-9]{0,19}$/, 'the id of a workflow run, as in its URL'),

    'github-token': line(8_192, 'a token'),
    'retention-days': wholeNumber(1, 400),
    'max-artifacts': wholeNumber(1, 100_000),
    'outage-minutes': numberFrom(0, 60),
    cache: oneOf('auto', 'off'),
    'git-timeout': wholeNumber(1, 3_600),
    'secret-values': variableLines,
    comment: oneOf('auto', 'always', 'never'),
    statuses: oneOf('auto', 'gates', 'never'),
    summary: yesOrNo,
    history: wholeNumber(0, 200),
    'html-report': yesOrNo,
    mirror: someOf(...MIRROR_FORMATS),
    'stand-in': gateIds,
    'history-branch': matching(BRANCH_PATTERN, 'the name of a branch, such as `gateline-history`'),

    'job-status': oneOf('success', 'failure', 'cancelled'),
    matrix: contextJson,
    'workflow-file': path,
    'workflow-repository': line(300, 'a repository'),
    'workflow-sha': line(64, 'a commit'),
    'check-run-id': line(40, 'a number'),
  });
}

/** The inputs by themselves, where none of those that may hold YAML is read. */
export const PLAIN_INPUTS = inputsSchemaWith(() => {
  throw new TypeError('no input is read as YAML here');
});

/** The parsed inputs of a step. */
export type ParsedInputs = z.infer<ReturnType<typeof inputsSchemaWith>>;

/** Name of an input, as in `action.yml`. */
export type InputName = keyof ParsedInputs;

/** Every input of the action. */
export const INPUT_NAMES = Object.keys(PLAIN_INPUTS.shape) as readonly InputName[];
