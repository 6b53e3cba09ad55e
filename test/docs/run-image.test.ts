import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { linesOf, svgOf } from '../../scripts/run-image.ts';
import { examplePipeline, IMAGE_FILE, readRecording } from '../../scripts/write-run-image.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { statusTable } from '../../src/report/terminal/status-table.ts';
import { recordSchema } from '../../src/run/records/record.ts';

const svg = readFileSync(IMAGE_FILE, 'utf8');
const pipeline = examplePipeline();

/** What a reader of the picture sees. */
function textOf(picture: string): string[] {
  const rows = [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map((match) => match[1]!.replaceAll(/<[^>]*>/g, ''));
  return rows.map((row) => row.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

it('docs/images/run.svg is what the recorded run looks like today (node scripts/write-run-image.ts writes it)', () => {
  expect(svg).toBe(svgOf(linesOf(readRecording(), pipeline)));
});

it('docs/images/run.svg shows the status table of a real run of the example, line by line', () => {
  const { records, subject } = readRecording();
  for (const record of records) recordSchema.parse(record);
  const state = foldRun(
    unitsOf(pipeline),
    { records, problems: [] },
    { pipeline: pipeline.id, subject },
    { now: records.at(-1)!.at },
  );
  expect(state.status).toBe('completed');
  expect([...state.units.values()].map((unit) => unit.reused)).toEqual([true, true, false, true, false, true]);
  const table = statusTable(state, pipeline, { width: 104 }).trimEnd();
  expect(textOf(svg).join('\n')).toContain(table);
});
