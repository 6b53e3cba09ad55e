import { expect, it } from 'vitest';
import { followable } from '../../src/github/service-address.ts';

const OPEN = 'http://127.0.0.1:8080/';
const ENCRYPTED = 'https://results.example/';

it.each([
  ['https://blobs.example/x?sig=1', ENCRYPTED, true],
  ['https://blobs.example/x', OPEN, true],
  ['http://blobs.example/x', OPEN, true],
  ['http://127.0.0.1:9090/x', OPEN, true],
  ['http://blobs.example/x', ENCRYPTED, false],
  ['http://results.example/x', ENCRYPTED, false],
  ['file:///etc/passwd', OPEN, false],
  ['ftp://blobs.example/x', ENCRYPTED, false],
  ['nowhere', OPEN, false],
  ['', OPEN, false],
])('%j of the service %s is followed: %s', (address, service, is) => {
  expect(followable(address, service)?.href).toBe(is ? new URL(address).href : undefined);
});
