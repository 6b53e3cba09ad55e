import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf, hexOf } from '../../../../src/json/digest.ts';
import { GatelineError } from '../../../../src/errors/gateline-error.ts';
import { fileIn, looksZipped, readZip, type WantedEntry } from '../../../../src/store/github/artifacts/zip-entries.ts';
import { temporaryFolder } from '../../../contract/temporary-folder.ts';
import { hostileZip, type HostileEntry } from '../hostile-zip.ts';

const CONTENT = 'what was asked for';
const NAME = hexOf(digestOf(CONTENT));
const GOOD: HostileEntry = { name: NAME, content: CONTENT, deflate: true };
const WANTED = new Map<string, WantedEntry>([[NAME, { bytes: CONTENT.length, exact: true }]]);

/** Reads a zip as a store does, and says how much was ever unpacked. */
async function read(zip: string | Buffer, wanted: ReadonlyMap<string, WantedEntry> = WANTED) {
  let unpacked = 0;
  const kept: Record<string, string> = {};
  const findings = await readZip(zip, wanted, async (name, chunks) => {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) {
      unpacked += chunk.length;
      parts.push(chunk);
    }
    kept[name] = Buffer.concat(parts).toString('utf8');
    return hexOf(digestOf(kept[name])) === name;
  });
  return { taken: [...findings.taken], wrong: [...findings.wrong], broken: findings.broken, unpacked, kept };
}

describe('entries of a zip that is not trusted', () => {
  it('are read by name, from a file and from memory', async () => {
    await using folder = await temporaryFolder();
    const zip = hostileZip([{ name: 'other', content: 'x' }, GOOD]);
    const path = join(folder.path, 'zip');
    await writeFile(path, zip);
    for (const source of [zip, path])
      expect(await read(source)).toMatchObject({
        taken: [NAME],
        wrong: [],
        broken: undefined,
        kept: { [NAME]: CONTENT },
      });
    expect(looksZipped(zip)).toBe(true);
    expect(looksZipped(Buffer.from('{"a":1}'))).toBe(false);
    expect(await readdir(folder.path)).toEqual(['zip']);
  });

  it.each<[string, HostileEntry]>([
    ['a path that climbs', { name: '../../etc/passwd', content: 'x' }],
    ['a path that climbs to the wanted name', { name: `../${NAME}`, content: CONTENT }],
    ['the wanted name in a folder', { name: `a/${NAME}`, content: CONTENT }],
    ['an absolute path', { name: '/etc/passwd', content: 'x' }],
    ['a path of Windows', { name: 'C:\\Windows\\x', content: 'x' }],
    ['backslashes', { name: `..\\${NAME}`, content: CONTENT }],
    ['a link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }],
    ['a folder', { name: `${NAME}/`, content: '' }],
    ['no name', { name: '', content: 'x' }],
    ['a NUL in its name', { name: `${NAME}\0.json`, content: 'x' }],
    ['`__proto__`', { name: '__proto__', content: 'x' }],
    ['the wanted name in capitals', { name: NAME.toUpperCase(), content: CONTENT }],
    ['a bomb of another name', { name: 'bomb', content: Buffer.alloc(50_000_000), deflate: true }],
  ])('of any other name do nothing: %s', async (_, entry) => {
    expect(await read(hostileZip([entry]))).toMatchObject({ taken: [], wrong: [], unpacked: 0 });
    expect(await read(hostileZip([entry, GOOD]))).toMatchObject({ taken: [NAME], unpacked: CONTENT.length });
  });

  it('are unpacked no further than to 8 GiB of all together, by what they say; what nobody wants does not count', async () => {
    const GIB = 1024 ** 3;
    const large = ['a', 'b', 'c'].map((name) => ({ name, content: 'x', deflate: true, size: 3 * GIB }));
    const wanted = new Map(large.map(({ name }) => [name, { bytes: 3 * GIB, exact: true }] as const));
    const all = new Map([...wanted, ...WANTED]);
    const { wrong, taken, broken } = await read(hostileZip([...large, GOOD]), all);
    expect({ wrong, taken, broken }).toEqual({ wrong: ['a', 'b'], taken: [], broken: 'it unpacks to more than 8 GiB' });
    expect(await read(hostileZip([...large, GOOD]))).toMatchObject({ taken: [NAME], wrong: [], broken: undefined });
    const two = await read(hostileZip([...large.slice(0, 2), GOOD]), all);
    expect(two).toMatchObject({ taken: [NAME], wrong: ['a', 'b'], broken: undefined });
  });

  it.each<[string, HostileEntry, number]>([
    ['other bytes', { name: NAME, content: 'what was asked f0r' }, CONTENT.length],
    ['fewer bytes', { name: NAME, content: 'what' }, 0],
    ['more bytes', { name: NAME, content: `${CONTENT}!` }, 0],
    ['a bomb', { name: NAME, content: Buffer.alloc(50_000_000), deflate: true }, 0],
    [
      'a bomb that says it is small',
      { name: NAME, content: Buffer.alloc(50_000_000), deflate: true, size: CONTENT.length },
      100_000,
    ],
    [
      'a content that says it is larger',
      { name: NAME, content: 'what', deflate: true, size: CONTENT.length },
      CONTENT.length,
    ],
    ['a size of 4 GiB', { name: NAME, content: CONTENT, deflate: true, size: 0xfffffffe }, 0],
    ['what is no deflate', { name: NAME, content: CONTENT, method: 8 }, 100_000],
    ['a method that nobody knows', { name: NAME, content: CONTENT, method: 99 }, 0],
    ['an encrypted entry', { name: NAME, content: `twelve bytes${CONTENT}`, size: CONTENT.length, flags: 1 }, 0],
    ['a link to the content', { name: NAME, content: '/proc/self/environ', mode: 0o120777 }, CONTENT.length],
  ])('of the right name are wrong when they are %s', async (_, entry, most) => {
    const findings = await read(hostileZip([entry]));
    expect(findings).toMatchObject({ taken: [], wrong: [NAME] });
    expect(findings.unpacked).toBeLessThanOrEqual(most);
  });

  it('count once, the first of one name', async () => {
    const bad = { ...GOOD, content: 'what was asked f0r' };
    expect(await read(hostileZip([GOOD, bad]))).toMatchObject({ taken: [NAME], wrong: [], kept: { [NAME]: CONTENT } });
    expect(await read(hostileZip([bad, GOOD]))).toMatchObject({ taken: [], wrong: [NAME] });
    const many = Array.from({ length: 1_000 }, () => GOOD);
    expect((await read(hostileZip(many))).unpacked).toBe(CONTENT.length);
  });

  it('are not looked through where there are too many', async () => {
    const findings = await read(hostileZip([GOOD], 60_000));
    expect(findings).toMatchObject({ taken: [], broken: 'it has 60000 entries' });
  });

  it.each<[string, (zip: Buffer) => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['no zip', () => Buffer.from('PK is how they begin')],
    ['half a zip', (zip) => zip.subarray(0, zip.length / 2)],
    ['a zip without its end', (zip) => zip.subarray(0, -10)],
    [
      'a directory outside of it',
      (zip) => Buffer.concat([zip.subarray(0, -6), Buffer.from([255, 255, 255, 127, 0, 0])]),
    ],
    ['noise', () => Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 251))],
  ])('of %s are none', async (_, spoil) => {
    const findings = await read(spoil(hostileZip([GOOD])));
    expect(findings.taken).toEqual([]);
    expect(findings.broken ?? findings.wrong[0]).toBeTruthy();
  });

  it('in memory are given whole, or not at all', async () => {
    const zip = hostileZip([GOOD]);
    expect((await fileIn(zip, NAME, 100))?.toString()).toBe(CONTENT);
    expect(await fileIn(zip, NAME, 5)).toBeUndefined();
    expect(await fileIn(zip, 'other', 100)).toBeUndefined();
  });

  it('that the store has no room for are its error, not damage', async () => {
    const full = new GatelineError('STORE_WRITE_FAILED', 'full');
    const reading = readZip(hostileZip([GOOD]), WANTED, () => Promise.reject(full));
    await expect(reading).rejects.toBe(full);
  });
});
