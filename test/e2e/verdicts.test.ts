import { describe, expect, it } from 'vitest';
import { statusOf } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

/** How each gate is broken, what its agent does then, and what `gateline show` must say. */
const BROKEN: Readonly<Record<string, { run: string; kind: string; says: RegExp[]; minutes?: number }>> = {
  schema: {
    run: 'echo \'{"score": 90, "cases": [{"title": 7}]}\' > "$GATELINE_OUTPUT"',
    kind: 'schema',
    says: [/\/cases\/0\/title/, /string/, /[Mm]ake the output meet the schema/],
  },
  score: {
    run: 'echo \'{"score": "90", "cases": []}\' > "$GATELINE_OUTPUT"',
    kind: 'score',
    says: [/\/score/, /number from 0 to 100/],
  },
  low: {
    run: 'echo \'{"score": 60, "cases": []}\' > "$GATELINE_OUTPUT"',
    kind: 'partial',
    says: [/60/, /80/, /[Rr]aise the score/],
  },
  json: {
    run: 'echo \'{"score": 90, "cases": [],}\' > "$GATELINE_OUTPUT"',
    kind: 'malformed',
    says: [/line 1/, /column|byte/],
  },
  exit: {
    run: 'echo \'{"score": 90, "cases": []}\' > "$GATELINE_OUTPUT"; echo "no licence" >&2; exit 3',
    kind: 'agent-error',
    says: [/exit code 3/, /gateline show exit/],
  },
  time: { run: 'sleep 600', kind: 'timeout', says: [/0\.01 minutes/, /timeout-minutes/], minutes: 0.01 },
  silent: { run: 'true', kind: 'missing', says: [/GATELINE_OUTPUT/] },
};

const CONTRACT = `
    output:
      schema:
        type: object
        required: [score]
        properties:
          cases:
            type: array
            items: { properties: { title: { type: string } } }
      score: /score
      threshold: 80`;

function pipeline(runs: Readonly<Record<string, string>>): string {
  const gates = Object.entries(runs).map(
    ([id, run]) => `
  ${id}:
    inputs: []
    shell: sh
    timeout-minutes: ${BROKEN[id]?.minutes ?? 1}${CONTRACT}
    run: |
      ${run}`,
  );
  return `pipeline: verdicts\nsubject: broken\nmax-parallel: 4\ngates:${gates.join('')}\n`;
}

describe.runIf(process.platform !== 'win32')('a gate that is broken', () => {
  it('gets a verdict of its own for each way, and each says what to do', async () => {
    const runs = Object.fromEntries(Object.entries(BROKEN).map(([id, { run }]) => [id, run]));
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': pipeline(runs) });
    const result = await workspace.gateline(['run', '-q', '--json']);
    expect(result, result.stderr).toMatchObject({ code: 1 });
    const { gates } = statusOf(result);
    const kinds = Object.fromEntries(gates.map((gate) => [gate.key, gate.verdict?.kind]));
    expect(kinds).toEqual(Object.fromEntries(Object.entries(BROKEN).map(([id, { kind }]) => [id, kind])));
    const advice = gates.map((gate) => gate.verdict?.advice ?? '');
    expect(new Set(advice).size).toBe(gates.length);
    for (const [id, { says }] of Object.entries(BROKEN)) {
      const { stdout } = await workspace.gateline(['show', id]);
      for (const pattern of says) expect(stdout).toMatch(pattern);
    }
  });

  it('passes once its agent is mended, and nothing else runs', async () => {
    const good = 'echo "$GATELINE_GATE 1 $$" >> "$START_LOG"; echo \'{"score": 90, "cases": []}\' > "$GATELINE_OUTPUT"';
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': pipeline({ well: good, score: BROKEN['score']!.run }),
    });
    expect(await workspace.gateline(['run', '-q'])).toMatchObject({ code: 1 });
    expect(await workspace.startedGates()).toEqual(['well']);
    await workspace.write('gateline.yml', pipeline({ well: good, score: good }));
    await workspace.forgetStarts();
    const again = await workspace.gateline(['run', '-q']);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stdout).toMatch(/^score: run: .*command|^score: run: .*run/m);
    expect(await workspace.startedGates()).toEqual(['score']);
  });
});
