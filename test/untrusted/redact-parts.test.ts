import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { redactedParts } from '../../src/untrusted/redact-parts.ts';
import { unredactedNames } from '../../src/untrusted/secret-names.ts';

describe('parts of a value that are redacted', () => {
  it.each<readonly [JsonValue, readonly string[], JsonValue, readonly string[]]>([
    [{ a: 'x', b: 1 }, ['/a'], { a: '***', b: 1 }, ['x']],
    [{ a: { b: ['x', { c: 'y' }] }, d: 'x' }, ['/a'], { a: '***', d: 'x' }, ['x', 'y']],
    [{ a: [{ t: 'x' }, { t: 'y' }] }, ['/a/1/t'], { a: [{ t: 'x' }, { t: '***' }] }, ['y']],
    [{ a: 5, b: null, c: true }, ['/a', '/b', '/c'], { a: '***', b: '***', c: '***' }, []],
    [{ a: 'x' }, ['/b', '/a/b', '/a/0'], { a: 'x' }, []],
    [{ a: { b: 'x' } }, ['/a', '/a/b'], { a: '***' }, ['x']],
    [{ a: { b: 'x', c: 1 } }, ['/a/b', '/a'], { a: '***' }, ['x', '***']],
    [{ 'a/b': 'x', '~': 'y' }, ['/a~1b', '/~0'], { 'a/b': '***', '~': '***' }, ['x', 'y']],
    ['x', [''], '***', ['x']],
    [{ a: '***' }, ['/a'], { a: '***' }, []],
  ])('of %j at %j', (value, pointers, redacted, texts) => {
    const before = structuredClone(value);
    const found = redactedParts(value, pointers, '***');
    expect(found.value).toEqual(redacted);
    expect(new Set(found.texts)).toEqual(new Set(texts.filter((text) => text !== '***')));
    expect(value).toEqual(before);
  });
});

describe('names that look like those of secrets', () => {
  const named = (name: string): boolean => unredactedNames({ [name]: 'a value' }, '***').pointers.length === 1;

  it.each(['apiKey', 'api_key', 'APIKey', 'API-KEY', 'apikey', 'password', 'dbPassword', 'token', 'access_token'])(
    'are %s',
    (name) => {
      expect(named(name)).toBe(true);
    },
  );

  it.each(['clientSecret', 'AWS_SECRET_ACCESS_KEY', 'privateKey', 'credentials', 'auth.token'])('and %s', (name) => {
    expect(named(name)).toBe(true);
  });

  it.each(['tokens', 'key', 'keyword', 'tokenizer', 'passwordless', 'secretary', 'monkey', 'passed', 'x'.repeat(200)])(
    'but not %s',
    (name) => {
      expect(named(name)).toBe(false);
    },
  );

  it('only with a text that is not redacted; the first twenty are listed', () => {
    expect(unredactedNames({ token: 5, password: '***', secret: { token: null }, apiKey: '' }, '***')).toEqual({
      pointers: [],
      more: 0,
    });
    const users = Array.from({ length: 22 }, () => ({ password: 'hunter2' }));
    expect(unredactedNames({ users }, '***')).toEqual({
      pointers: Array.from({ length: 20 }, (_, at) => `/users/${at}/password`),
      more: 2,
    });
  });
});
