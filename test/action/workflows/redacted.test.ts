import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ActionWorld, errorsOf, redJobs } from './action-world.ts';
import { agent, CHECKOUT, gateAround, gateJob, job, reportJob } from './workflow-text.ts';

const KEY = 'sk-9f8e7d6c5b4a';
const OUTPUT = { login: { key: KEY }, decision: 'APPROVED', summary: `signed in with ${KEY}` };
const INPUTS = {
  result: 'pointer: /decision\npass: [APPROVED]',
  message: '/summary',
  redact: '/login/key',
};

it('a value that inputs redact is in no artifact, cache entry, summary or log, whichever step writes the output', async () => {
  // A command is part of the request, so the value comes from elsewhere.
  const found = (file: string): string => `cat "$ANSWER" > "${file}"`;
  await using world = await ActionWorld.ofJobs({
    ran: gateJob({ gate: 'ran', run: found('$GATELINE_OUTPUT'), ...INPUTS }),
    around: job([
      CHECKOUT,
      ...gateAround({ run: found('${{ steps.gate.outputs.output-file }}') }, { gate: 'around', ...INPUTS }),
    ]),
    report: reportJob(['ran', 'around']),
  });
  const answer = world.repository.beside('answer.json');
  await writeFile(answer, JSON.stringify(OUTPUT));
  const report = await (await world.run({ machine: { ANSWER: answer } })).start().ended;
  expect(redJobs(report)).toEqual([]);
  const { blobs } = world.service.world.blobs;
  expect(blobs.size).toBeGreaterThan(6);
  for (const { content } of blobs.values()) expect(content.toString()).not.toContain(KEY);
  for (const name of ['ran', 'around', 'report']) {
    const { log, summary } = report.jobs.get(name)!;
    expect(summary).toContain('signed in with &#42;&#42;&#42;');
    expect(summary).not.toContain(KEY);
    expect(log.join('\n')).not.toContain(KEY);
  }
});

it('a result that does not pass makes the job red, and says which ones do', async () => {
  const output = { ...OUTPUT, decision: 'NEEDS_CHANGES' };
  await using world = await ActionWorld.ofJobs({ review: gateJob({ gate: 'review', run: agent(output), ...INPUTS }) });
  const report = await (await world.run()).start().ended;
  expect(errorsOf(report.jobs.get('review')!).join('\n')).toMatch(
    /^Gate failed: its result is not one that passes: gate review: .*"NEEDS_CHANGES"; only "APPROVED" passes/m,
  );
  expect(world.endings()).toEqual(['review 1.1.1 ran result']);
});
