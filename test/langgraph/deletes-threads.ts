import { createFileCheckpointer } from '../../src/langgraph/index.ts';

/** Deletes a thread again and again until it is killed; a line on stdout for each time. */
const [folder, thread] = process.argv.slice(2) as [string, string];
const saver = createFileCheckpointer(folder);
for (;;) {
  await saver.deleteThread(thread);
  process.stdout.write('deleted\n');
  await new Promise((done) => setTimeout(done, 25));
}
