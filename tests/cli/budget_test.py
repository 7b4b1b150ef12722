"""A budget on the cost of dies in a space: what it leaves out, and that answers obey it however they are searched."""
import phaze
from few_chips import SMALL, SPACE


class DieCost(phaze.Case):
    def space(self, dollars=None):
        limit = f", die_cost: {dollars!r} USD" if dollars else ""
        return self.file("few.yaml", SPACE.replace("278.8 mm2", "278.8 mm2" + limit))

    def search(self, dollars, *args):
        return self.json("search", "bert-large", "--space", self.space(dollars), *SMALL, *args)

    def count(self, dollars=None):
        return self.json("search", "--count", "--space", self.space(dollars))

    def test_answers_obey_it_however_they_are_searched(self):
        free = self.search(None)
        everything = self.count()["chips"]
        cost = free["best"]["description"]["die_cost_usd"]
        value = free["best"]["value"]
        chips = everything
        # Each time a little less than the dies of the chip that won cost.
        for _ in range(2):
            budget = cost * (1 - 1e-9)
            counted = self.count(budget)
            self.assertEqual(counted["budgets"]["die_cost_usd"], budget)
            self.assertEqual(counted["chips"] + counted["removed"]["die_cost"], everything)
            self.assertLess(counted["chips"], chips)
            found = self.search(budget)
            self.assertEqual(found["chips"]["total"], counted["chips"])
            self.assertLessEqual(found["best"]["description"]["die_cost_usd"], budget)
            self.assertLessEqual(found["best"]["value"], value)
            for way in (["--exhaustive"], ["--by-sets"]):
                other = self.search(budget, *way)
                for key in ("chip", "value", "hbm_bytes"):
                    self.assertEqual(other["best"][key], found["best"][key], (way, key))
            cost, value, chips = found["best"]["description"]["die_cost_usd"], found["best"]["value"], counted["chips"]

    def test_the_budget_itself_is_within(self):
        best = self.search(None)["best"]
        found = self.search(best["description"]["die_cost_usd"])["best"]
        self.assertEqual((found["chip"], found["value"]), (best["chip"], best["value"]))

    def test_none_is_left(self):
        result = self.start(["search", "bert-large", "--space", self.space(0.01), *SMALL])
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"is within its filters and budgets", result.stderr)

    def test_faults(self):
        for text, expected in (("die_cost: 5 W", "die_cost"), ("die_cost: -1 USD", "die_cost"), ("die_costs: 5 USD", "die_cost?")):
            path = self.file("bad.yaml", SPACE.replace("area: 278.8 mm2", text))
            self.assertIn(expected, self.refusal("search", "--count", "--space", path))


if __name__ == "__main__":
    phaze.main()
