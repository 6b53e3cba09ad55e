import { addFormat, setFormatHandler } from '@hyperjump/json-schema/experimental';
import '@hyperjump/json-schema/formats-lite';
import { isHostname, isIdnEmail } from '@hyperjump/json-schema-formats';
import idn from 'idn-hostname';

const URI = 'https://json-schema.org/format/';

/**
 * Registers the formats that the validator's small set lacks. Its full set has them too, but prints messages about host
 * names to stdout, which is reserved for our own output. draft-07 also gets the two formats that were added later.
 */
export function addFormats(): void {
  addFormat({ id: `${URI}idn-email`, handler: (value) => typeof value !== 'string' || isIdnEmail(value) });
  addFormat({ id: `${URI}idn-hostname`, handler: (value) => typeof value !== 'string' || isIdn(value) });
  addFormat({
    id: `${URI}hostname`,
    handler: (value) => typeof value !== 'string' || (isHostname(value) && isIdn(value)),
  });
  for (const name of ['uuid', 'duration']) {
    setFormatHandler('https://json-schema.org/keyword/draft-07/format', name, URI + name);
  }
}

function isIdn(hostname: string): boolean {
  if (/[.\uff0e\u3002\uff61]$/.test(hostname)) return false;
  try {
    return idn.isIdnHostname(hostname);
  } catch {
    // The library reports an invalid value by throwing.
    return false;
  }
}
