import { Document, visit } from 'yaml';

/** Characters that YAML 1.2 does not allow in a file (§5.1, c-printable), only as escapes in double quotes. */
export const UNPRINTABLE = /[^\P{Cc}\t\n\r\u0085]|[\uFFFE\uFFFF]/u;

const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE.source, 'gu');

/** A value as YAML without anchors and folded lines, that YAML can read whatever characters its texts have. */
export function yamlText(value: unknown): string {
  return documentText(new Document(value, { aliasDuplicateObjects: false }));
}

/**
 * As {@link yamlText}, for a document that was read; its comments stay.
 * @param isTight lists and maps in one line have no spaces inside their brackets. Default: they have
 */
export function documentText(document: Document, isTight = false): string {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && UNPRINTABLE.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return withEscapes(document.toString({ lineWidth: 0, flowCollectionPadding: !isTight }));
}

/** YAML or JSON with escapes for characters that YAML does not allow. They are only in quoted texts. */
export function withEscapes(text: string): string {
  return text.replaceAll(EACH_UNPRINTABLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
