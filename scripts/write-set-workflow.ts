import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_SUBJECT_WAVES } from '../src/pipeline/subjects/subject-waves.ts';
import { CHECKOUT } from './write-pipeline-workflow.ts';

/** The reusable workflow whose jobs are waves of subjects: each calls `pipeline.yml` for the subjects of its wave. */
export const SET_WORKFLOW = '.github/workflows/set.yml';

const READ = `    permissions:
      contents: read
      actions: read
      checks: read
      pull-requests: read
`;

const NEEDS = '${{ toJSON(needs) }}';

const HEAD = `# One gateline.yml for many subjects, for workflows of any repository. docs/reference/reusable-workflows.md
# Written by scripts/write-set-workflow.ts.
name: set
on:
  workflow_call:
    inputs:
      set:
        description: Path of the file of the set, such as subjects.json.
        required: true
        type: string
      only-set:
        description: Only the subjects that belong to the set of this name.
        required: false
        type: string
      max-parallel:
        description: Subjects at the same time.
        required: false
        type: number
        default: 4
      file:
        description: Path of the definition.
        required: false
        type: string
      task:
        description: What subjects without a task are to achieve.
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
      deliver:
        description: branch or patch, for the files of completed subjects. A branch needs contents write.
        required: false
        type: string
      allow:
        description: Exact paths, one per line, that may be delivered although something would run them by itself.
        required: false
        type: string
      history-branch:
        description: Branch that the report appends the outcomes to. Needs contents write.
        required: false
        type: string
    secrets:
      env:
        description: Lines NAME=VALUE. A gate gets those that it names.
        required: false
    outputs:
      passed:
        description: Whether every subject is completed.
        value: \${{ jobs.report.outputs.passed }}

jobs:
`;

function step(id: string, keys: Readonly<Record<string, string>>, command = 'set'): string {
  const lines = Object.entries(keys).map(([name, value]) => `          ${name}: ${value}\n`);
  return `      - id: ${id}
        uses: $/
        with:
          command: ${command}
          set: \${{ inputs.set }}
          only-set: \${{ inputs.only-set }}
          file: \${{ inputs.file }}
${lines.join('')}`;
}

/** Which subjects of a wave can start, and their runs. */
function waveJobs(wave: number): string {
  const earlier = Array.from({ length: wave }, (_, index) => `wave-${index}`);
  const before =
    wave === 0
      ? ''
      : `    needs: [next-0, ${earlier.join(', ')}]
    # Subjects of the wave before may have failed: the action decides which ones of this wave start.
    if: \${{ !cancelled() && fromJSON(needs.next-0.outputs.waves || '0') > ${wave} }}
`;
  return `${wave === 0 ? '' : '\n'}  next-${wave}:
${before}    runs-on: ubuntu-latest
    timeout-minutes: 15
${READ}    outputs:
      subjects: \${{ steps.set.outputs.subjects }}
      subject-files: \${{ steps.set.outputs.subject-files }}
${wave === 0 ? '      waves: ${{ steps.set.outputs.subject-waves }}\n' : ''}    steps:
${CHECKOUT}${step('set', { ...(wave > 0 && { needs: NEEDS }), wave: `'${wave}'` })}
  wave-${wave}:
    needs: [next-${wave}]
    if: \${{ !cancelled() && fromJSON(needs.next-${wave}.outputs.subjects || '[]')[0] }}
    strategy:
      fail-fast: false
      max-parallel: \${{ inputs.max-parallel }}
      matrix:
        include: \${{ fromJSON(needs.next-${wave}.outputs.subjects || '[]') }}
    name: \${{ matrix.subject }}
${READ}    uses: $/.github/workflows/pipeline.yml
    with:
      file: \${{ inputs.file }}
      subject: \${{ matrix.subject }}
      set: \${{ inputs.set }}
      slot: \${{ matrix.slot }}
      subject-files: \${{ needs.next-${wave}.outputs.subject-files }}
      task: \${{ inputs.task }}
      input: \${{ inputs.input }}
      resume: \${{ inputs.resume }}
      comment: never
      statuses: never
    secrets:
      env: \${{ secrets.env }}
`;
}

function reportJob(): string {
  const jobs = Array.from({ length: MAX_SUBJECT_WAVES }, (_, wave) => [`next-${wave}`, `wave-${wave}`]).flat();
  const ended = (result: string): string => `contains(needs.*.result, '${result}') && '${result}'`;
  return `
  report:
    needs:
      [
${jobs.map((id) => `        ${id},\n`).join('')}      ]
    if: always()
    runs-on: ubuntu-latest
    timeout-minutes: 15
    # No permissions here: it uses those of the calling job.
    outputs:
      passed: \${{ steps.report.outputs.passed }}
    steps:
${CHECKOUT}${step('report', {
    outcome: `\${{ ${ended('failure')} || ${ended('cancelled')} || 'success' }}`,
    'history-branch': '${{ inputs.history-branch }}',
  })}`;
}

function deliverJob(): string {
  const waves = Array.from({ length: MAX_SUBJECT_WAVES }, (_, wave) => `wave-${wave}`);
  return `
  deliver:
    needs: [${['next-0', ...waves].join(', ')}]
    if: \${{ !cancelled() && inputs.deliver }}
    runs-on: ubuntu-latest
    timeout-minutes: 15
    # No permissions here: it uses those of the calling job, and says what they do not allow. No agent runs in it.
    steps:
${CHECKOUT}${step('deliver', { needs: NEEDS, deliver: '${{ inputs.deliver }}', allow: '${{ inputs.allow }}' }, 'apply')}`;
}

/** The text of the workflow. */
export function setWorkflow(): string {
  return [
    HEAD,
    ...Array.from({ length: MAX_SUBJECT_WAVES }, (_, wave) => waveJobs(wave)),
    reportJob(),
    deliverJob(),
  ].join('');
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '..', SET_WORKFLOW);
  const text = setWorkflow();
  if (readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(path, text);
}
