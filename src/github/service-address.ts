import { CallFailure, type AnswerHead } from './call-failure.ts';

/**
 * An address that a service told, where it may be followed: https always, http only where the service itself is asked over http.
 * On any host: services keep bytes where they like.
 */
export function followable(address: string, service: string | URL): URL | undefined {
  const url = URL.parse(address);
  if (url?.protocol === 'https:') return url;
  return url?.protocol === 'http:' && new URL(service).protocol === 'http:' ? url : undefined;
}

/** The same as a text. @throws CallFailure */
export function toldAddress(address: string, service: string | URL): string {
  if (followable(address, service) !== undefined) return address;
  throw new CallFailure('refused', 'a download URL is not https');
}

/** Where a service says that a download is. @throws CallFailure */
export function redirectedTo(what: string, { status, headers }: AnswerHead, service: string | URL): string {
  const { location } = headers;
  if (status === 302 && typeof location === 'string' && URL.canParse(location)) return toldAddress(location, service);
  throw new CallFailure('invalid', `${what} leads nowhere`);
}
