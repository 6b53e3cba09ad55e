#!/usr/bin/env node
import { comment } from './gateline.js';
await comment();
