// The page in an embedded DOM (jsdom), with its script running, and how elements are located in it.
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

export const loadPage = () =>
  new JSDOM(readFileSync('page/registration.html', 'utf8'), { runScripts: 'dangerously' }).window.document;

const labelOf = (label) => label.firstChild.textContent.trim();
const LOCATORS = {
  id: (page, value) => page.querySelectorAll(`[id="${value}"]`),
  name: (page, value) => page.querySelectorAll(`[name="${value}"]`),
  label: (page, value) =>
    [...page.querySelectorAll('label')].filter((label) => labelOf(label) === value).map(({ control }) => control),
  placeholder: (page, value) => page.querySelectorAll(`[placeholder="${value}"]`),
  button: (page, value) =>
    [...page.querySelectorAll('button')].filter(({ textContent }) => textContent.trim() === value),
  role: (page, value) => page.querySelectorAll(`[role="${value}"]`),
};

/** The only element that a locator matches. */
export function locate(page, { type, value }) {
  const [element, ...others] = LOCATORS[type](page, value);
  return others.length === 0 ? element : undefined;
}
