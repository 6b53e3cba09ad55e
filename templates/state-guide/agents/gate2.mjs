// DOM element mapping. Replace the work by your agent's.
import { load, save } from './state.mjs';

const targets = load(1, 'design').testCases.flatMap(({ testSteps }) => testSteps.map(({ target }) => target));
const elementMappings = targets.map((value) => ({ logicalName: value, locators: { primary: { type: 'id', value } } }));
save(2, 'DOMAgent', { elementMappings, isSPA: false, specialComponents: [] }, 87, ['no fallback locators']);
