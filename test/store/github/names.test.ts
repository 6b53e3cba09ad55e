import { describe, expect, it } from 'vitest';
import type { Digest } from '../../../src/json/digest.ts';
import {
  approvalDigest,
  artifactName,
  formatReference,
  parseArtifactName,
  parseReference,
} from '../../../src/store/github/document.ts';
import { parsePointerKey, pointerKey } from '../../../src/store/github/pointer.ts';

const digest = (digit: string): Digest => `sha256:${digit.repeat(64)}`;
const [request, document] = [digest('a'), digest('b')];

describe('a reference to a document', () => {
  it('is read as it is written, with white space around it', () => {
    const reference = { artifactId: 4_294_967_296, digest: document };
    expect(formatReference(reference)).toBe(`4294967296@${document}`);
    expect(parseReference(` ${formatReference(reference)}\n`)).toEqual(reference);
  });

  it('is not read from any other text', () => {
    const upper = document.toUpperCase();
    for (const text of [
      '',
      '1',
      `1@${'b'.repeat(64)}`,
      `x@${document}`,
      `1@${document}0`,
      `-1@${document}`,
      `1@${upper}`,
    ])
      expect(parseReference(text), text).toBeUndefined();
  });
});

describe('the name of an artifact', () => {
  it('says whose document it is, with the longest ids in 256 characters', () => {
    const name = { pipeline: 'p'.repeat(40), gate: 'g'.repeat(40), leg: 'l'.repeat(80), runAttempt: 50 };
    const text = artifactName(name, '0123456789ab');
    expect(text.length).toBeLessThanOrEqual(256);
    expect(parseArtifactName(text)).toEqual(name);
    expect(parseArtifactName(artifactName({ ...name, leg: '' }, 'f'))).toEqual({ ...name, leg: '' });
  });

  it('is not parsed if it is of large files or of anything else', () => {
    const name = { pipeline: 'ci', gate: 'plan', leg: '', runAttempt: 1 };
    expect(parseArtifactName(artifactName(name, 'f', 'bin'))).toBeUndefined();
    for (const other of [
      'coverage',
      'gateline.ci.plan.1.f.json',
      'gateline.ci.plan..x.f.json',
      'a/gateline.ci.plan..1.f.json',
    ])
      expect(parseArtifactName(other)).toBeUndefined();
  });
});

describe('the key of a pointer', () => {
  const pointer = { runId: 123, runAttempt: 2, digest: document };
  const key = `gateline-1-${'a'.repeat(64)}-123-2-${'b'.repeat(64)}`;

  it('has run, attempt and document of a request', () => {
    expect(pointerKey(request, pointer)).toBe(key);
    expect(parsePointerKey(key, request)).toEqual(pointer);
  });

  it.each([
    ['of another request', key.replace('1-aaa', '1-caa')],
    ['with a longer digest', `${key}0`],
    ['without a run', key.replace('-123', '')],
    ['with a run that is no number', key.replace('123', '1e3')],
    ['of another version', key.replace('gateline-1', 'gateline-2')],
    ['of somebody else', 'npm-linux'],
  ])('is not followed: %s', (_, other) => {
    expect(parsePointerKey(other, request)).toBeUndefined();
  });
});

it('An approval names the output of one request, by 32 digits', () => {
  expect(approvalDigest(request, document)).toMatch(/^[0-9a-f]{32}$/);
  expect(approvalDigest(request, document)).not.toBe(approvalDigest(digest('c'), document));
  expect(approvalDigest(request, document)).not.toBe(approvalDigest(request, digest('c')));
});
