import { availableParallelism, cpus } from 'node:os';
import { measureGate } from './gate.ts';
import { measureLanggraph } from './langgraph.ts';
import { measureLargeFolder } from './large-folder.ts';
import { renderFigure, TABLE_HEAD, type Figure } from './measure.ts';
import { measureRecords } from './records.ts';
import { measureReuse } from './reuse.ts';
import { measureScaling } from './scaling.ts';

/** `node bench/run.ts [name]`: the ratios can be compared across machines, the milliseconds cannot. */
const BENCHMARKS: Readonly<Record<string, () => AsyncIterable<Figure>>> = {
  reuse: measureReuse,
  'large-folder': measureLargeFolder,
  scaling: measureScaling,
  records: measureRecords,
  gate: measureGate,
  langgraph: measureLanggraph,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BENCHMARKS);
const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}, ${machine}\n\n${TABLE_HEAD}`);
for (const name of names) {
  const measure = BENCHMARKS[name];
  if (measure === undefined) throw new Error(`no benchmark ${name}: ${Object.keys(BENCHMARKS).join(', ')}`);
  for await (const figure of measure()) console.log(renderFigure(figure));
}
