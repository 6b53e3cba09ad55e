import type { Pin } from './compile.ts';

/** The action that a compiled workflow uses where nobody names a commit of it. */
export const GATELINE: Pin = { uses: 'gateline/gateline@v1' };

/** The release of `actions/checkout` that is tested. */
export const CHECKOUT: Pin = {
  uses: 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1',
  version: 'v7.0.1',
};

const ACTION_REF = /^\w(?:[\w./-]{0,198}\w)?$/;

/** This action at a commit, tag or branch; `undefined` for a text that is none. */
export function gatelineAt(ref: string): Pin | undefined {
  return ACTION_REF.test(ref) && !ref.includes('..') ? { uses: `${nameOf(GATELINE)}@${ref}` } : undefined;
}

/** A pin as an earlier text of the workflow has it: whoever keeps it up to date, such as a bot, is not undone. */
export function keptPin(pin: Pin, text: string): Pin {
  const line = new RegExp(`^ *(?:- )?uses: ${nameOf(pin)}@([\\w./-]{1,200})(?: # (v[\\w.+-]{1,50}))?$`, 'm').exec(text);
  const [, ref, version] = line ?? [];
  return ref === undefined ? pin : { uses: `${nameOf(pin)}@${ref}`, version };
}

function nameOf({ uses }: Pin): string {
  return uses.slice(0, uses.indexOf('@'));
}
