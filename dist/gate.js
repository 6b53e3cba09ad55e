#!/usr/bin/env node
import { gate } from './gateline.js';
await gate();
