#include <lamcap/lamcap.hpp>

#include <cstdio>

int main() {
  const lamcap::Capacity c = lamcap::capacity(lamcap::square(4096));
  std::printf("%.3f facts, +- %.0e\n", c.facts.value, c.facts.error);

  const lamcap::Capacity head = lamcap::capacity({.dim_in = 4096, .dim_out = 4096, .rank = 128},
                                                 {.candidates = 128256., .margin = 0.5});
  std::printf("%.3f facts by one head, %s\n", head.facts.value, to_string(head.status).data());
}
