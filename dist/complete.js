#!/usr/bin/env node
import { complete } from './gateline.js';
await complete();
