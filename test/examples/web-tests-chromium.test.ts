import { describe, expect, it } from 'vitest';
import { Chain, oneOfEach, PAGE } from './web-tests.ts';
import { IS_FULL, bySize, spread } from '../support/test-size.ts';
import { CHROMIUM, hasChromium } from '../support/chromium.ts';

describe.runIf(IS_FULL)('gate 4 in Chromium and in the embedded DOM', () => {
  const pages = [
    ['a page that is right', undefined, 100],
    ['a page with a broken label', ['>Last Name</label>', '>Changed</label>'], 0],
    ['a page whose dialog does not open', ['modal.hidden = refused;', ''], undefined],
  ] as const;
  it.each(spread(pages, bySize({ sample: 1, full: 2, soak: 3 })))(
    'come to the same verdict on %s',
    { timeout: 300_000 },
    async (_, edit, passRate) => {
      if (!hasChromium('the worked example')) return;
      await using chain = await Chain.create();
      if (edit) await chain.edit(PAGE, edit[0], edit[1]);
      await chain.run(['data', 'design']);
      chain.outputs.design = { ...chain.outputs.design, testCases: oneOfEach(chain.outputs.design.testCases) };
      await chain.run(['map', 'code', 'execute']);
      const embedded = chain.outputs.execute;
      await chain.run(['execute'], { WEB_TESTS_BROWSER: 'chromium', CHROME_PATH: CHROMIUM });
      const chromium = chain.outputs.execute;
      expect([embedded.engine, chromium.engine]).toEqual(['embedded', 'chromium']);
      expect(chromium.failures).toEqual(embedded.failures);
      expect(chromium.results).toEqual(embedded.results);
      expect(chromium.locatorUse).toEqual(embedded.locatorUse);
      if (passRate !== undefined) expect(chromium.finalStatus.passRate).toBe(passRate);
      else expect(chromium.failures.length).toBeGreaterThan(0);
    },
  );
});
