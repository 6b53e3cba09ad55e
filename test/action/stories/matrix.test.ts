import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const world = useGithub();
const LEGS = `node -p 'const { needs } = require(process.env.GATELINE_REQUEST); "legs " + ["fixed", "data"].map((id) => JSON.stringify(needs[id]?.legs ? Object.entries(needs[id].legs).map(([leg, { output }]) => [leg, output.leg]) : needs[id] ?? null)).join(" ")'`;
const leg = agent('{"leg": "$GATELINE_LEG"}', 'test "$GATELINE_LEG" != "$(cat bad.txt)"');
const GATES = {
  plan: { run: agent('{"list": $(cat list.json)}'), inputs: ['list.json'] },
  fixed: { run: leg, inputs: ['bad.txt'], strategy: { matrix: { os: ['linux', 'mac'] }, 'fail-fast': false } },
  data: {
    needs: ['plan'],
    run: leg,
    inputs: ['bad.txt'],
    strategy: { matrix: '${{ needs.plan.output.list }}', 'fail-fast': false },
  },
  join: {
    needs: ['fixed', 'data'],
    run: agent('{}', `cp "$GATELINE_REQUEST" request.json; GATELINE_REQUEST=$PWD/request.json ${LEGS}`),
    inputs: [],
  },
};

it('legs of a list and of data go on to the gate that needs them; only a leg that failed runs again', async () => {
  const files = { ...pipelineFiles(GATES), 'list.json': '["a", "b", "c"]', 'bad.txt': 'b' };
  const repository = await world.create({ files });
  const first = await repository.push();
  expect(troubles(first)).toEqual(['data (b) failure', 'join skipped', 'report failure']);
  expect(first.job('report').summary).toContain('5 of 7 gates done');
  const fixed = await first.rerun('failed');
  expect(fixed.started).toEqual(['data (b)', 'report']);
  const second = await repository.push({ files: { 'bad.txt': 'none' } });
  expect(troubles(second), logsOf(second)).toEqual([]);
  expect(second.job('join').log).toMatch(
    /legs \[\["linux","linux"\],\["mac","mac"\]\] \[\["a","a"\],\["b","b"\],\["c","c"\]\]/,
  );
  expect(second.job('report').summary).toContain('7 of 7 gates done');
  expect(second.job('data (b)').log).toContain('No earlier run has an output of data/b for this request.');
  const empty = await repository.push({ files: { 'list.json': '[]' } });
  expect([worked(empty), troubles(empty)], logsOf(empty)).toEqual([['join', 'plan'], []]);
  expect(empty.job('join').log).toMatch(/legs \[\["linux","linux"\],\["mac","mac"\]\] \[\]/);
});
