import { expect, test } from 'vitest';
import { createTools } from '../registry.ts';

const newYear = Date.UTC(2026, 11, 31, 23, 30, 5);

async function asked(parameters: { time_zone?: string }, now = newYear) {
  const tools = createTools({ now: () => now });
  const { message, error } = await tools.call({ id: 'c', name: 'current_date', parameters });
  const [block] = message.content;
  return { error, text: block !== undefined && 'text' in block ? String(block.text) : '' };
}

test('[W80] current_date gives date, time and weekday in UTC, or in the given time zone', async () => {
  expect(JSON.parse((await asked({})).text)).toEqual({
    iso: '2026-12-31T23:30:05+00:00',
    date: '2026-12-31',
    time: '23:30:05',
    weekday: 'Thursday',
    time_zone: 'UTC',
  });
  expect(JSON.parse((await asked({ time_zone: 'Asia/Kolkata' })).text)).toEqual({
    iso: '2027-01-01T05:00:05+05:30',
    date: '2027-01-01',
    time: '05:00:05',
    weekday: 'Friday',
    time_zone: 'Asia/Kolkata',
  });
});

test.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Auckland', 'Africa/Abidjan'])(
  '[W80] the time in %s matches the clock, in summer and in winter',
  async (zone) => {
    for (const at of [newYear, Date.UTC(2026, 6, 1, 0, 0, 0)]) {
      const { iso } = JSON.parse((await asked({ time_zone: zone }, at)).text);
      expect(Date.parse(iso)).toBe(at);
    }
  },
);

test('[W80] an unknown time zone is refused by its name', async () => {
  const { error, text } = await asked({ time_zone: 'Middle-earth/Shire' });
  expect(error).toBe('tool/bad-arguments');
  expect(text).toContain('Middle-earth/Shire');
});
