import assert from "node:assert/strict";
import { test } from "node:test";
import { isGuessable } from "./guessable-passwords.ts";

const NAMES = ["Estúdio Aurora", "Carla Dias", "carla.dias@example.com"];

test("runs, repetitions, names that everybody knows and what people choose most are guessed", () => {
  for (const password of [
    "aaaaaaaaaaaa",
    "ABABABABABAB",
    "            ",
    "!!!!!!!!!!!!",
    "abcdefghijkl",
    "lkjihgfedcba",
    "123456789012",
    "098765432109",
    "qwertyuiop[]",
    "1qaz2wsx3edc",
    "!@#$%^&*()_+",
    "abcabcabcabc",
    "111222333444",
    "Estúdio Aurora",
    "estudioaurora",
    "aurora.aurora.aurora",
    "Estudio-Aurora-2026!",
    "CarlaDias1990",
    "carla.dias@example.com",
    "password1234",
    "Password2026!",
    "minhasenha123",
    "micontraseña1",
    "rollbook2026",
    "iloveyou1234",
    "correct horse battery staple",
    "P@ssw0rd1234",
    "p455word2026",
    "adm!n1strator",
    "trustno1trustno1",
    "kq9xzmkq9xzm",
    "q1w2e3r4t5y6",
    "1q2w3e4r5t6y",
    "qazwsxedcrfv",
  ])
    assert.ok(isGuessable(password, NAMES), password);
});

test("sentences and random characters are not, with a name in them or without", () => {
  for (const password of [
    "a long sentence of yours",
    "correct horse battery",
    "Carla mora perto do mar",
    "os gatos da carla dormem",
    "x7#kQ9!mLp2v",
    "8f3a9c01d7e2",
    "705318264993",
    "tr0ub4dor&3x",
    "пароль из слов",
    "七転び八起きの道を歩む人",
    "dragon monkey football summer",
    "never say never again, mate",
    "k7m2qp9xk7m2qp9x",
  ])
    assert.ok(!isGuessable(password, NAMES), password);
});
