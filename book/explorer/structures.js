/* The structures of the page, with what they share put back in its place. */

const unpack = ({ key, label, shelf, code, instances, claimTexts, ...others }) => ({
  key, label, shelf, code,
  instances: instances.map((place) => SHARED[place]),
  claimTexts: claimTexts.map((place) => SHARED[place]),
  ...Object.fromEntries(Object.entries(others).map(([name, place]) => [name, SHARED[place]])),
});

const STRUCTURES = PACKED.map(unpack);
