/** What this inspector wrote into files of settings, so that it can be taken back. */
import type { Spillway } from '@spillway/core';

export class SettingChanges {
  constructor(_options: unknown, _spillway: () => Spillway) {}
}
