import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline } from './in-process.ts';

/** Each gate waits until the other one has begun, or for half a second: it notes whether they met. */
const MEETS = [
  'touch "$OUT.$GATELINE_GATE"',
  'other=review; [ "$GATELINE_GATE" = review ] && other=test',
  'for i in 1 2 3 4 5; do [ -e "$OUT.$other" ] && break; sleep 0.1; done',
  '[ -e "$OUT.$other" ] && echo "$GATELINE_GATE met" >> "$OUT" || echo "$GATELINE_GATE alone" >> "$OUT"',
  `printf '%s' '{}' > "$GATELINE_OUTPUT"`,
].join('\n');

/** What the gates of a group noted, in the order of their ends, and what was printed. */
async function run(group: object, ...args: string[]): Promise<{ noted: string[]; said: string }> {
  const gate = { run: MEETS, inputs: [], env: { OUT: null } };
  const definition = {
    pipeline: 'p',
    defaults: { run: { shell: 'sh' } },
    'max-parallel': 4,
    groups: { checks: group },
  };
  await using workspace = await ScratchWorkspace.create({
    'gateline.yml': JSON.stringify({ ...definition, gates: { review: gate, test: gate } }),
  });
  const out = workspace.beside('noted');
  const environment = plainEnvironment(workspace.variables({ OUT: out }));
  const { code, out: said, err } = await gateline(workspace.root, ['run', ...args], { environment });
  expect(code, err).toBe(0);
  return { noted: readFileSync(out, 'utf8').trim().split('\n').toSorted(), said: said + err };
}

const gates = ['review', 'test'];
const ONE_AT_A_TIME = ['review alone', 'test met'];

describe('the gates of a group', () => {
  it('run in parallel, if nothing says otherwise', async () => {
    expect((await run(gates)).noted).toEqual(['review met', 'test met']);
  });

  it('run in parallel where what they need is available', async () => {
    const { noted, said } = await run({ gates, mode: 'auto', available: 'node' });
    expect(noted).toEqual(['review met', 'test met']);
    expect(said).not.toContain('one at a time');
  });

  it('run one at a time where it is not, which is said', async () => {
    const { noted, said } = await run({ gates, mode: 'auto', available: 'test -e no-such-file' });
    expect(noted).toEqual(ONE_AT_A_TIME);
    expect(said).toContain('group checks: its gates run one at a time: `test -e no-such-file` failed');
  });

  it('run one at a time where the program is missing', async () => {
    const { noted, said } = await run({ gates, available: 'no-such-program' });
    expect(noted).toEqual(ONE_AT_A_TIME);
    expect(said).toContain('`no-such-program --version` failed');
  });

  it.each([{ gates, mode: 'sequential', available: 'node' }, gates])(
    'run one at a time if told so: %j',
    async (group) => {
      const { noted } = await run(group, ...(Array.isArray(group) ? ['--sequential'] : []));
      expect(noted).toEqual(ONE_AT_A_TIME);
    },
  );
});
