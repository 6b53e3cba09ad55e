import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline } from './in-process.ts';

const output = (json: string): string => `printf '%s' '${json}' > "$GATELINE_OUTPUT"`;

/** The review passes nothing. */
const DEFINITION = {
  pipeline: 'p',
  defaults: { run: { shell: 'sh' } },
  gates: {
    make: { run: output('{}'), inputs: [], files: [] },
    review: {
      needs: 'make',
      run: output('{"ok":false}'),
      inputs: [],
      output: { checks: 'output.ok' },
      'on-fail': { goto: 'make', 'max-iterations': 2 },
    },
  },
};

const { make, review } = DEFINITION.gates;
const threeTimes = { make, review: { ...review, 'on-fail': { goto: 'make', 'max-iterations': 3 } } };

/** What people are told by `run`, and by `status` after it. */
async function told(definition: object, ...options: string[]): Promise<string[]> {
  await using workspace = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(definition) });
  const environment = plainEnvironment(workspace.variables());
  const run = await gateline(workspace.root, ['run', '-q', ...options], { environment });
  const status = await gateline(workspace.root, ['status'], { environment });
  return [run.out, status.out];
}

describe('a loop whose iterations are used up', () => {
  it('says so in the table and below it, at the end of the run and in its status', async () => {
    for (const text of await told(DEFINITION)) {
      expect(text).toMatch(/make +passed .* iteration 2 of 2$/m);
      expect(text.replaceAll(/\s+/g, ' ')).toMatch(/review failed ran .*; iterations used up: 2 of 2/);
      expect(text).toContain(
        'review sends nothing back: iterations used up: 2 of 2; `--max-iterations N` allows more.\n',
      );
    }
  });

  it('goes by the limit of the call at its end, which is for that call only', async () => {
    const [run, status] = await told(DEFINITION, '--max-iterations', '1');
    expect(run).toContain('iterations used up: 1 of 1;');
    expect(status).not.toContain('iterations used up');
    const [more] = await told(DEFINITION, '--max-iterations', '3');
    expect(more).toContain('iterations used up: 3 of 3;');
  });

  it('does not recommend an option that has no effect on max-reworks', async () => {
    for (const text of await told({ ...DEFINITION, 'max-reworks': 0 })) {
      expect(text).toContain(
        'review sends nothing back: work was sent back 0 times, as often as max-reworks allows.\n',
      );
      expect(text).not.toContain('--max-iterations');
    }
    const [once] = await told({ ...DEFINITION, 'max-reworks': 1, gates: threeTimes });
    expect(once).toContain('work was sent back once, as often as max-reworks allows.\n');
  });

  it('numbers the tries of each iteration from 1, and is in the tables of the history', async () => {
    const retried = { ...DEFINITION, gates: { make, review: { ...review, retries: 1 } } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(retried) });
    const run = await gateline(workspace.root, ['run', '-q']);
    const tries = run.out.match(/(?<=review: started \().*(?=\))/g);
    expect(tries).toEqual([1, 2, 1, 2].map((one) => `try ${one} of at most 2`));
    for (const options of [[], ['--gate', 'make']]) {
      const [head, row] = (await gateline(workspace.root, ['history', ...options])).out.split('\n');
      expect(row!.slice(0, head!.indexOf('iteration') + 'iteration'.length)).toMatch(/ 2$/);
    }
  });

  it('is told which key limits all loops together', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': JSON.stringify({ ...DEFINITION, 'max-iterations': 2 }),
    });
    const { err } = await gateline(workspace.root, ['validate']);
    expect(err).toContain('KEY_UNKNOWN max-iterations');
    expect(err).toContain('write `max-reworks` for all loops together');
  });
});
