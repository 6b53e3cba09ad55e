import { CallFailure, type AnswerHead } from './call-failure.ts';

/**
 * An address from a service, if it may be followed: https always, http only if the service itself is accessed over
 * http. On any host: services store bytes on other hosts.
 */
export function followable(address: string, service: string | URL): URL | undefined {
  const url = URL.parse(address);
  if (url?.protocol === 'https:') return url;
  return url?.protocol === 'http:' && new URL(service).protocol === 'http:' ? url : undefined;
}

/** The same as a text. @throws CallFailure */
export function givenAddress(address: string, service: string | URL): string {
  if (followable(address, service) !== undefined) return address;
  throw new CallFailure('refused', 'a download URL is not https');
}

/** The download address in a service's redirect. @throws CallFailure */
export function redirectedTo(what: string, { status, headers }: AnswerHead, service: string | URL): string {
  const { location } = headers;
  if (status === 302 && typeof location === 'string' && URL.canParse(location)) return givenAddress(location, service);
  throw new CallFailure('invalid', `${what} leads nowhere`);
}
