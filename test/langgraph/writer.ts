/**
 * Stores steps until it is killed, or so many. Each acknowledged operation is a line on stdout. Arguments: folder,
 * thread, name, steps; an id of a step to which others write at the same time.
 */
import { writeSync } from 'node:fs';
import { INTERRUPT } from '@langchain/langgraph-checkpoint';
import { createFileCheckpointer } from '../../src/langgraph/index.ts';
import { at, idOf, put, type Config } from './support.ts';

const [folder = '', thread = '', name = '', steps = 'Infinity', shared] = process.argv.slice(2);
const saver = createFileCheckpointer(folder);
let config: Config = at(thread);
for (let n = 0; n < Number(steps); n += 1) {
  const text = `${n}`.repeat(30_000);
  config = await put(saver, config, { [name]: n, text });
  writeSync(1, `step ${idOf(config)} ${n}\n`);
  await saver.putWrites(
    config,
    [
      [name, n],
      ['text', text],
    ],
    `task-${name}`,
  );
  writeSync(1, `writes ${idOf(config)} ${n}\n`);
  if (shared === undefined) continue;
  await saver.putWrites(at(thread, '', shared), [[name, n]], `${name}-${n}`);
  await saver.putWrites(at(thread, '', shared), [['winner', name]], 'both');
  await saver.putWrites(at(thread, '', shared), [[INTERRUPT, `${name} ${n}`]], 'both');
}
