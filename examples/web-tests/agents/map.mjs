// Gate 2: locators for every element that the test cases are about, each tried on a page that was loaded again.
import { loadPage, locate } from './dom.mjs';
import { exportsOf, finish } from './gate.mjs';

const CONFIDENCE = { id: 0.95, name: 0.9, label: 0.85, button: 0.85, role: 0.85, placeholder: 0.7 };
const [page, again] = [loadPage(), loadPage()];
const targets = new Set(
  exportsOf('design').testCases.flatMap(({ testSteps }) => testSteps.map(({ target }) => target)),
);

/** `First Name` → `firstName`. */
const logicalNameOf = (target) => target.toLowerCase().replace(/[^a-z0-9]+(.)/g, (_, letter) => letter.toUpperCase());

function locatorsOf(target) {
  const names = { label: target, button: target, role: target };
  const element = Object.entries(names)
    .map(([type, value]) => locate(page, { type, value }))
    .find(Boolean);
  if (!element) return [];
  for (const type of ['id', 'name', 'placeholder']) names[type] = element.getAttribute(type);
  return Object.entries(names)
    .filter(([type, value]) => value && locate(page, { type, value }) === element && locate(again, { type, value }))
    .map(([type, value]) => ({ type, value, confidenceScore: CONFIDENCE[type] }))
    .sort((a, b) => b.confidenceScore - a.confidenceScore);
}

const mappings = [...targets, 'status'].map((target) => {
  const [primary, ...fallbacks] = locatorsOf(target);
  return { logicalName: logicalNameOf(target), target, locators: { primary, fallbacks } };
});
const elementMappings = mappings.filter(({ locators }) => locators.primary);
const missing = mappings.filter(({ locators }) => !locators.primary).map(({ target }) => `not on the page: ${target}`);
const unsure = elementMappings.filter(({ locators }) => locators.primary.confidenceScore < 0.8);
const issues = [...missing, ...unsure.map(({ target }) => `confidence < 80%: ${target}`)];
finish({ elementMappings, isSPA: false, specialComponents: [] }, mappings.length, issues);
