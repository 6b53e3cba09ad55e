import { GatelineError } from '../../errors/gateline-error.ts';
import { pricesSchema, type Prices } from '../../history/prices.ts';
import { parseJson } from '../../json/parse-json.ts';
import { problemText } from '../../pipeline/problem-text.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/**
 * Reads the file that `budget.prices` names.
 * @throws GatelineError `PRICES_INVALID`
 */
export async function readPrices(files: Pick<Workspace, 'readText'>, path: string): Promise<Prices> {
  const text = await files.readText(path);
  if (text === undefined) throw invalid(path, 'the file does not exist');
  const parsed = parseJson(new TextEncoder().encode(text));
  if (!parsed.ok) throw invalid(path, parsed.issue.message);
  const prices = pricesSchema.safeParse(parsed.value, { reportInput: true });
  if (prices.success) return prices.data;
  const [first] = prices.error.issues;
  throw invalid(path, `/${first!.path.map(String).join('/')}: ${problemText(first!)}`);
}

function invalid(path: string, why: string): GatelineError {
  return new GatelineError('PRICES_INVALID', `budget.prices: ${path} cannot be used: ${why}`);
}
