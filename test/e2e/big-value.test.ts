import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL } from '../support/test-size.ts';

const WITH_PEAK = join(import.meta.dirname, 'cli-with-peak.ts');
const MEGABYTE = 1_000_000;
const GIBIBYTE = 1_024 ** 3;

/** Writes an array of objects of at least 100 MB, in pieces. */
const PRODUCER = `
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
const out = createWriteStream(process.env.GATELINE_OUTPUT);
let bytes = 0;
for (let at = 0; bytes < 100 * ${MEGABYTE}; ) {
  let text = '';
  for (const end = at + 10_000; at < end; at += 1) {
    const row = { id: at, name: 'element ' + at, visible: at % 2 === 0, score: at / 7, tags: ['form', 'field-' + (at % 97)] };
    text += (at === 0 ? '[' : ',\\n') + JSON.stringify(row);
  }
  bytes += text.length;
  if (!out.write(text)) await once(out, 'drain');
}
out.end(']');
await once(out, 'finish');
`;

/** Reads it as it comes, and hands on what it found. */
const CONSUMER = `
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
const { needs } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const hash = createHash('sha256');
let bytes = 0;
for await (const chunk of createReadStream(needs.big.file)) {
  hash.update(chunk);
  bytes += chunk.length;
}
const found = { digest: 'sha256:' + hash.digest('hex'), bytes, promised: needs.big, inline: 'output' in needs.big };
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(found));
`;

const PIPELINE = `
pipeline: big
subject: big
gates:
  big:
    inputs: [producer.mjs]
    run: node producer.mjs
    output:
      schema:
        type: array
        items:
          type: object
          required: [id, name, tags]
          properties: { id: { type: integer }, name: { type: string }, tags: { type: array, items: { type: string } } }
  read:
    needs: big
    inputs: [consumer.mjs]
    run: node consumer.mjs
`;

describe.runIf(IS_FULL)('a value of 100 MB', () => {
  it('is judged, kept and handed on whole, in less than 1 GiB', { timeout: 300_000 }, async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': PIPELINE,
      'producer.mjs': PRODUCER,
      'consumer.mjs': CONSUMER,
    });
    const began = performance.now();
    const env = { PEAK: workspace.beside('peak') };
    const result = await workspace.gateline(['run', '-q', '--json'], { script: WITH_PEAK, env });
    const seconds = (performance.now() - began) / 1_000;
    expect(result, result.stderr).toMatchObject({ code: 0 });
    const peak = Number(await readFile(env.PEAK, 'utf8'));
    const [big, read] = statusOf(result).gates;
    expect(big!.output!.bytes).toBeGreaterThan(95 * MEGABYTE);
    const found = JSON.parse((await workspace.gateline(['show', 'read', 'output'])).stdout) as Record<string, unknown>;
    expect(read!.status).toBe('passed');
    expect(found).toMatchObject({
      digest: big!.exports!.digest,
      bytes: big!.exports!.bytes,
      promised: { digest: big!.exports!.digest },
      inline: false,
    });
    console.log(
      `a value of ${(big!.output!.bytes / MEGABYTE).toFixed(0)} MB: peak memory ${(peak / 2 ** 20).toFixed(0)} MiB, ${seconds.toFixed(0)} s`,
    );
    expect(peak).toBeLessThan(GIBIBYTE);

    const peakAgain = workspace.beside('peak-again');
    const again = await workspace.gateline(['run', '-q', '--json'], { script: WITH_PEAK, env: { PEAK: peakAgain } });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(statusOf(again).gates.map((gate) => gate.reused)).toEqual([true, true]);
    console.log(`reused: peak memory ${(Number(await readFile(peakAgain, 'utf8')) / 2 ** 20).toFixed(0)} MiB`);
    expect(Number(await readFile(peakAgain, 'utf8'))).toBeLessThan(GIBIBYTE);
  });
});
