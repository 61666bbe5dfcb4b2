// Axes: where ticks stand, and numbers as text.

const MINUS = "\u2212";

/** All digits that make the same double again. */
function exact(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(value);
}

/** In at most `digits` digits, for tables and ticks. */
function brief(value, digits = 5) {
  if (value === null || value === undefined) return "\u2014";
  if (!Number.isFinite(value)) return exact(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return grouped(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    const [head, exponent] = value.toExponential(digits - 1).split("e");
    return `${Number(head)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

function grouped(value) {
  const text = String(Math.round(value));
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function duration(seconds) {
  if (!Number.isFinite(seconds)) return "\u2014";
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.round(seconds / 3600);
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** 1, 2 or 5 times a power of ten: the least that gives at most `most` steps. */
function roundStep(span, most) {
  const rough = span / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * (1 - 1e-9)) ?? 10 * power;
}

function multiplesWithin(step, from, to) {
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i) ticks.push(i * step);
  return ticks;
}

/** A tick's text, with as many decimals as its neighbours need. */
function tickText(value, step) {
  if (Math.abs(value) < step * 1e-6) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (step >= 1e6) return sign + trimmed(size / 1e6, step / 1e6) + "M";
  if (step >= 1e3) return sign + trimmed(size / 1e3, step / 1e3) + "k";
  if (step < 1e-4) return brief(Number(value.toPrecision(6)), 4).replace("-", MINUS);
  return sign + trimmed(size, step);
}

function trimmed(value, step) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return value.toFixed(decimals);
}

/** Ticks as [{value, text}]. */
function linearTicks(from, to, most, least = 0) {
  const step = Math.max(roundStep(to - from, most), least);
  return multiplesWithin(step, from, to).map((value) => ({ value, text: tickText(value, step) }));
}

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

function timeTicks(from, to, most) {
  const rough = (to - from) / most;
  if (rough < 0.5) {
    return linearTicks(from, to, most).map((tick) => ({ ...tick, text: `${tick.text} s` }));
  }
  const step = SECONDS.find((each) => each >= rough) ?? Math.ceil(rough / 86400) * 86400;
  return multiplesWithin(step, from, to).map((value) => ({ value, text: clock(value, step) }));
}

function clock(seconds, step) {
  if (seconds === 0) return "0";
  if (step >= 86400) return `${Math.round(seconds / 86400)} d`;
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (whole < 60) return `${whole} s`;
  const two = (number) => String(number).padStart(2, "0");
  if (step < 60) return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  if (h === 0) return `${m} min`;
  return m === 0 ? `${h} h` : `${h}:${two(m)} h`;
}

function powerText(value) {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  if (exponent >= -3 && exponent < 3) return String(Number(value.toPrecision(1)));
  if (exponent >= 3 && exponent < 6) return `${Math.round(value / 1e3)}k`;
  if (exponent >= 6 && exponent < 9) return `${Math.round(value / 1e6)}M`;
  return `${Math.round(value / 10 ** exponent)}e${String(exponent).replace("-", MINUS)}`;
}

/** Powers of ten; where there are few, 2 and 5 times them too; within one decade as linear ones. */
function logTicks(from, to, most) {
  const decades = Math.log10(to / from);
  if (decades < 0.7) return linearTicks(from, to, most).filter((tick) => tick.value > 0);
  const factors = decades < 2.2 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / most));
  const ticks = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; ++power) {
    if (power % every !== 0) continue;
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (value >= from && value <= to) ticks.push({ value, text: powerText(value) });
    }
  }
  return ticks;
}

/** Values to pixels; `log` for a logarithmic one. */
function makeScale(from, to, fromPixel, toPixel, log = false) {
  const place = log ? Math.log : (value) => value;
  const low = place(from);
  const span = place(to) - low || 1;
  const scale = (value) => fromPixel + ((place(value) - low) / span) * (toPixel - fromPixel);
  scale.domain = [from, to];
  scale.valueAt = (pixel) => {
    const at = low + ((pixel - fromPixel) / (toPixel - fromPixel)) * span;
    return log ? Math.exp(at) : at;
  };
  return scale;
}

/** [from, to] of the y axis for these finite values, with some room; null where there is nothing to draw. */
function roomFor(low, high, log) {
  if (!(low <= high)) return null;
  if (log) {
    const factor = Math.max((high / low) ** 0.06, 1.005);
    return [low / factor, high * factor];
  }
  if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
  const room = (high - low) * 0.06;
  // A loss that falls is read against 0.
  if (low >= 0 && low < high * 0.3) return [0, high + room];
  return [low - room, high + room];
}
