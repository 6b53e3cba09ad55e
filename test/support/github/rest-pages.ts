import type { ServiceRequest } from './protocol.ts';

/** One page of a list, and the `Link` header that leads to the others. Page size: `per_page`, default 30, at most 100. */
export function pageOf<T>(
  { url }: ServiceRequest,
  all: readonly T[],
): { readonly items: T[]; readonly headers: Record<string, string> } {
  const size = Math.min(100, positive(url.searchParams.get('per_page'), 30));
  const page = positive(url.searchParams.get('page'), 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const items = all.slice((page - 1) * size, page * size);
  const links = [
    ...(page > 1 ? [linkTo(url, page - 1, 'prev')] : []),
    ...(page < last ? [linkTo(url, page + 1, 'next'), linkTo(url, last, 'last')] : []),
    ...(page > 1 ? [linkTo(url, 1, 'first')] : []),
  ];
  return { items, headers: links.length === 0 ? {} : { link: links.join(', ') } };
}

function linkTo(url: URL, page: number, rel: string): string {
  const target = new URL(url);
  target.searchParams.set('page', String(page));
  return `<${target.href}>; rel="${rel}"`;
}

function positive(text: string | null, fallback: number): number {
  const number = Number(text ?? Number.NaN);
  return Number.isInteger(number) && number > 0 ? number : fallback;
}

/** A time as REST writes it: whole seconds. */
export function restTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
