import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUBJECT_WAVE_WIDTH } from '../src/pipeline/subjects/subject-waves.ts';
import { MAX_WAVES, WAVE_WIDTH } from '../src/pipeline/waves.ts';

/** The reusable workflow whose jobs are waves: YAML has no loops. */
export const PIPELINE_WORKFLOW = '.github/workflows/pipeline.yml';

/** The checkout step of packaged workflows. */
export const CHECKOUT = `      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
`;

/** Calls in a matrix overwrite each other's outputs by name, so a subject has a name for each place in its wave. */
function subjectOutputs(): string {
  const output = (_: unknown, slot: number): string => `      files-${slot}:
        description: Digest of the files of the subject at position ${slot}.
        value: \${{ inputs.slot == '${slot}' && jobs.report.outputs.files-digest || '' }}
`;
  return Array.from({ length: SUBJECT_WAVE_WIDTH }, output).join('');
}

const HEAD = `# A whole gateline.yml, for workflows of any repository. docs/reference/reusable-workflows.md
# Written by scripts/write-pipeline-workflow.ts.
name: pipeline
on:
  workflow_call:
    inputs:
      file:
        description: Path of the definition.
        required: false
        type: string
      subject:
        description: Subject of the run.
        required: false
        type: string
      task:
        description: The goal of the run.
        required: false
        type: string
      set:
        description: Path of the file of a set, which has the task and the metadata of the subject.
        required: false
        type: string
      input:
        description: The caller's input, as JSON.
        required: false
        type: string
      resume:
        description: Id of an earlier run to resume.
        required: false
        type: string
      slot:
        description: For a set, the position of the subject in its wave.
        required: false
        type: string
      subject-files:
        description: For a set, digests of the files that other subjects handed on.
        required: false
        type: string
      comment:
        description: auto, always or never.
        required: false
        type: string
      statuses:
        description: auto, gates or never.
        required: false
        type: string
      html-report:
        description: Whether the report uploads the run as a page of HTML.
        required: false
        type: boolean
        default: false
      history-branch:
        description: Branch that the report appends the outcome to. Needs contents write.
        required: false
        type: string
    secrets:
      env:
        description: Lines NAME=VALUE. A gate gets those that it names.
        required: false
    outputs:
      passed:
        description: Whether every gate is satisfied.
        value: \${{ jobs.report.outputs.passed }}
      badge:
        description: The result for a badge, JSON in the format of endpoints of shields.io.
        value: \${{ jobs.report.outputs.badge }}
${subjectOutputs()}
jobs:
  waves:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: read
      actions: read
      pull-requests: read
    outputs:
      waves: \${{ steps.waves.outputs.waves }}
    steps:
${CHECKOUT}      - id: waves
        uses: $/
        with:
          command: waves
          file: \${{ inputs.file }}
`;

function waveJob(wave: number): string {
  const earlier = Array.from({ length: wave }, (_, index) => `wave-${index}`);
  const list = `fromJSON(needs.waves.outputs.waves || '[]')[${wave}]`;
  const digests = ['digest', 'files-digest'].flatMap((name) =>
    Array.from(
      { length: WAVE_WIDTH },
      (_, slot) => `      ${name}-${slot}: \${{ matrix.slot == ${slot} && steps.gate.outputs.${name} || '' }}\n`,
    ),
  );
  return `
  wave-${wave}:
    needs: [${['waves', ...earlier].join(', ')}]
    # What a gate needs may have failed in another gate's wave: the action decides whether it begins.
    if: \${{ !cancelled() && ${list} }}
    strategy:
      fail-fast: false
      matrix:
        include: \${{ ${list} }}
    name: \${{ matrix.name }}
    runs-on: \${{ matrix.runner }}
    timeout-minutes: \${{ matrix.minutes }}
    permissions:
      contents: read
      actions: read
      checks: read
      pull-requests: read
    outputs:
${digests.join('')}    steps:
${CHECKOUT}      - id: gate
        uses: $/
        with:
          gate: \${{ matrix.gate }}
          matrix: \${{ toJSON(matrix.values) }}
          needs: \${{ toJSON(needs) }}
          file: \${{ inputs.file }}
          subject: \${{ inputs.subject }}
          task: \${{ inputs.task }}
          set: \${{ inputs.set }}
          subject-files: \${{ inputs.subject-files }}
          input: \${{ inputs.input }}
          resume: \${{ inputs.resume }}
          secret-values: \${{ secrets.env }}
`;
}

function reportJob(): string {
  const waves = Array.from({ length: MAX_WAVES }, (_, index) => `wave-${index}`);
  return `
  report:
    needs: [${['waves', ...waves].join(', ')}]
    if: always()
    runs-on: ubuntu-latest
    timeout-minutes: 15
    # No permissions here: it uses those of the calling job, and says what they do not allow.
    outputs:
      passed: \${{ steps.report.outputs.passed }}
      badge: \${{ steps.report.outputs.badge }}
      files-digest: \${{ steps.report.outputs.files-digest }}
    steps:
${CHECKOUT}      - id: report
        uses: $/
        with:
          command: report
          needs: \${{ toJSON(needs) }}
          file: \${{ inputs.file }}
          subject: \${{ inputs.subject }}
          set: \${{ inputs.set }}
          comment: \${{ inputs.comment }}
          statuses: \${{ inputs.statuses }}
          html-report: \${{ inputs.html-report }}
          history-branch: \${{ inputs.history-branch }}
`;
}

/** The text of the workflow. */
export function pipelineWorkflow(): string {
  return [HEAD, ...Array.from({ length: MAX_WAVES }, (_, wave) => waveJob(wave)), reportJob()].join('');
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '..', PIPELINE_WORKFLOW);
  const text = pipelineWorkflow();
  if (readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(path, text);
}
