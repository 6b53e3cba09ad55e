import { describe, expect, it } from 'vitest';
import { layAction } from '../support/action-files.ts';
import { runAct } from '../support/act/act-run.ts';
import { ACT } from '../support/act/act-tool.ts';
import { startResultsService } from '../support/github/results-service.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

const WORKFLOW = '.github/workflows/gates.yml';

const gate = (command: string, more = '') => `
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ./
        with:
          inputs: '[]'
          run: ${command}
          ${more}`;

const FILES = {
  [WORKFLOW]: `
name: gates
on: push
jobs:
  first:${gate(`echo '{"ok":1}' > "$GATELINE_OUTPUT"`)}
  second:
    needs: first${gate(`echo '{"ok":2}' > "$GATELINE_OUTPUT"`, 'needs: ${{ toJSON(needs) }}')}
  report:
    needs: [first, second]
    if: always()
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: ./
        with: { command: report, needs: '\${{ toJSON(needs) }}' }
`,
};

describe.runIf(ACT !== undefined)('two gates and a report under act, with the bundle of this repository', () => {
  it('are green, and the second attempt starts no agent', async () => {
    await using service = await startResultsService();
    await using repository = await ScratchWorkspace.create(FILES);
    await layAction(repository.root);
    await repository.commitAll('the action');
    // Without a flag for it act tells nothing of the file of the workflow.
    const env = { GITHUB_WORKFLOW_REF: undefined };
    const run = { service, run: 5, repository: repository.root, workflow: WORKFLOW, env };
    for (const [attempt, decision] of [
      [1, 'run'],
      [2, 'keep'],
    ] as const) {
      const report = await runAct({ ...run, attempt });
      const outputs = ['first', 'second'].map(
        (name) => report.job(name).steps.find(({ id }) => id === 'gate')?.outputs,
      );
      expect(outputs).toMatchObject([
        { decision, status: 'passed' },
        { decision, status: 'passed' },
      ]);
      expect(report.job('first').annotations.map(({ message }) => message)).toEqual([
        expect.stringContaining('assumes the workflow file .github/workflows/gates.'),
      ]);
      expect(report.job('report').summary).not.toBe('');
      expect(report.ok).toBe(true);
    }
  });
});
