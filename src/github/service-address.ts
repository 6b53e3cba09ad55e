/**
 * An address that a service told, where it may be followed: https always, http only where the service itself is asked over http.
 * On any host: services keep bytes where they like.
 */
export function followable(address: string, service: string | URL): URL | undefined {
  const url = URL.parse(address);
  if (url?.protocol === 'https:') return url;
  return url?.protocol === 'http:' && new URL(service).protocol === 'http:' ? url : undefined;
}
