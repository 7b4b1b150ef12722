// Loaded before every test of the page: a machine that knows no names, not even localhost, as bare containers are.
// What works here needs addresses of the loopback only, and asks no network for anything.
"use strict";
const dns = require("node:dns");
const { isIP } = require("node:net");

function unknown(name) {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}: tests know no names, only addresses`), {
    code: "ENOTFOUND",
    syscall: "getaddrinfo",
    hostname: name,
  });
}

const { lookup } = dns;
dns.lookup = (name, ...rest) => (isIP(name) ? lookup(name, ...rest) : process.nextTick(rest.at(-1), unknown(name)));
const ask = dns.promises.lookup;
dns.promises.lookup = (name, ...rest) => (isIP(name) ? ask(name, ...rest) : Promise.reject(unknown(name)));
