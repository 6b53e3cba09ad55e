#!/usr/bin/env node
import{action as e}from"./gateline.js";await e();