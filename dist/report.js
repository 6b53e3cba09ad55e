#!/usr/bin/env node
import { report } from './gateline.js';
await report();
