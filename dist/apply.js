#!/usr/bin/env node
import { apply } from './gateline.js';
await apply();
